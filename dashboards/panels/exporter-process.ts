import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { range } from "../board/query.ts";
import { labelColumn, table, valueColumn } from "../board/table.ts";
import { lines } from "../board/time-series.ts";
import { unit } from "../board/unit.ts";
import { processSeries } from "../expressions/process-series.ts";
import { ofExporter, ofInstance } from "../expressions/scope.ts";

const NOT_SCRAPED = "Prometheus has not scraped the exporter in this range";

export function cpu(id: number): PlacedPanel {
  return lines({
    id,
    title: "CPU",
    width: 8,
    shows: "Share of one CPU that the process takes.",
    read: "1 % for hundreds of keys is usual.",
    act: "A steady rise with the same keys is a defect: report it.",
    empty: NOT_SCRAPED,
    queries: [range(ofExporter(`rate(${ofInstance(processSeries.cpu)}[$__rate_interval])`), "{{instance}}")],
    unit: unit.ratio,
  });
}

export function memory(id: number): PlacedPanel {
  return lines({
    id,
    title: "Memory",
    width: 8,
    shows: "Memory of the process and of JavaScript's heap in it.",
    read: "Should be level after the first hour.",
    act: "Near the container's limit: raise that, or watch fewer series.",
    empty: NOT_SCRAPED,
    queries: [
      range(ofExporter(ofInstance(processSeries.residentMemory)), "{{instance}} process"),
      range(ofExporter(ofInstance(processSeries.heapUsed)), "{{instance}} heap"),
    ],
    unit: unit.bytes,
  });
}

export function eventLoop(id: number): PlacedPanel {
  return lines({
    id,
    title: "Event loop lag",
    width: 8,
    shows: "How late the process is with what it has to do, 99th percentile.",
    read: "Tens of milliseconds are usual; about 10 ms are the resolution of the measurement.",
    act: "Seconds: it gets too little CPU.",
    empty: NOT_SCRAPED,
    queries: [range(ofExporter(ofInstance(processSeries.eventLoopLag)), "{{instance}}")],
    unit: unit.seconds,
  });
}

export function scrapes(id: number): PlacedPanel {
  return lines({
    id,
    title: "Duration of scrapes",
    width: 12,
    shows: "How long Prometheus takes to fetch the metrics.",
    read: "A copy of bytes: milliseconds, whatever the gateway does.",
    act: "Seconds: look at the network, then at the event loop lag.",
    empty: NOT_SCRAPED,
    queries: [range(ofExporter(ofInstance(processSeries.scrapeDuration)), "{{instance}}")],
    unit: unit.seconds,
  });
}

/** What is running. */
export function build(id: number): PlacedPanel {
  return table({
    id,
    title: "Versions",
    width: 12,
    shows: "Version, revision and Node.js of each process, and since when it runs.",
    read: "Two rows for long after a rollout: an old process is left.",
    act: "Nothing, as a rule.",
    empty: "Prometheus does not scrape the exporter",
    columns: [
      labelColumn("instance", "Instance"),
      labelColumn("version", "Version"),
      labelColumn("revision", "Revision"),
      labelColumn("nodeversion", "Node.js"),
      valueColumn(
        "Info",
        `max by (instance, version, revision, nodeversion) (${ofInstance(selfFamilies.buildInfo)})`,
        unit.none,
        { hidden: true },
      ),
      valueColumn(
        "Started",
        `1000 * max by (instance) ${ofExporter(ofInstance(processSeries.startTime))}`,
        unit.fromNow,
      ),
      valueColumn(
        "Samples",
        `max by (instance) ${ofExporter(ofInstance(processSeries.scrapeSamples))}`,
        unit.count,
      ),
    ],
    sortBy: [],
  });
}
