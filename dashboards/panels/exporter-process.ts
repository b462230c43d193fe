import { selfFamilies } from "../../exporter/metrics/self-families.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { range } from "../builder/query.ts";
import { labelColumn, table, valueColumn } from "../builder/table.ts";
import { lines } from "../builder/time-series.ts";
import { unit } from "../builder/unit.ts";
import { processSeries } from "../expressions/process-series.ts";
import { ofExporter, ofInstance } from "../expressions/scope.ts";

const NOT_SCRAPED = "Prometheus has not scraped the exporter in this range";

export function cpu(id: number): PlacedPanel {
  return lines({
    id,
    title: "CPU",
    width: 8,
    shows: "Share of one CPU that the process uses.",
    read: "About 1 % is normal for hundreds of keys.",
    act: "Report a steady rise while the number of keys stays the same: it is a defect.",
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
    shows: "Resident memory of the process, and the part used by the JavaScript heap.",
    read: "It should be flat after the first hour.",
    act: "Near the container's memory limit, raise the limit or expose fewer series.",
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
    shows: "How late the process runs its timers, 99th percentile.",
    read: "Tens of milliseconds are normal; the measurement has a resolution of about 10 ms.",
    act: "If it reaches seconds, give the process more CPU.",
    empty: NOT_SCRAPED,
    queries: [range(ofExporter(ofInstance(processSeries.eventLoopLag)), "{{instance}}")],
    unit: unit.seconds,
  });
}

export function scrapes(id: number): PlacedPanel {
  return lines({
    id,
    title: "Scrape duration",
    width: 12,
    shows: "How long Prometheus takes to fetch the metrics.",
    read: "A few milliseconds, however slow the gateway is: a scrape only copies bytes.",
    act: "If it reaches seconds, check the network, then the event loop lag.",
    empty: NOT_SCRAPED,
    queries: [range(ofExporter(ofInstance(processSeries.scrapeDuration)), "{{instance}}")],
    unit: unit.seconds,
  });
}

/** The running versions. */
export function build(id: number): PlacedPanel {
  return table({
    id,
    title: "Versions",
    width: 12,
    shows: "Version, revision and Node.js version of each process, and when it started.",
    read: "Two rows long after a rollout mean that an old process is still running.",
    act: "Stop a process that should not be running.",
    empty: "Prometheus does not scrape the exporter",
    columns: [
      labelColumn("instance", "Instance", { width: 150 }),
      labelColumn("version", "Version", { width: 80 }),
      labelColumn("revision", "Revision", { width: 90 }),
      labelColumn("nodeversion", "Node.js", { width: 90 }),
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
