import type { AnnotationQuery } from "@grafana/grafana-foundation-sdk/dashboard";

import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { selfFamilies as families } from "../../exporter/metrics/self-families.ts";
import { annotation } from "../builder/annotations.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { type Figure, figure } from "../builder/stat.ts";
import { unit } from "../builder/unit.ts";
import { processSeries } from "../expressions/process-series.ts";
import { ofExporter, ofInstance } from "../expressions/scope.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";

const state = (definition: Omit<Figure, "width">) => figure({ ...definition, width: 4 });

const NOT_SCRAPED = "not scraped";

export function running(id: number): PlacedPanel {
  return state({
    id,
    title: "Running",
    expr: `min${ofExporter(ofInstance(processSeries.up))}`,
    unit: unit.none,
    steps: steps("red", [1, "green"]),
    texts: { 1: { text: "yes", color: "green" }, 0: { text: "no", color: "red" } },
    empty: "no such job",
    shows: "Whether Prometheus reaches every chosen process of the exporter.",
    read: "No: at least one process cannot be scraped.",
    act: "Check the pod and its log, then the scrape job.",
  });
}

const isUp = `min by (job, gateway, key) (${ofInstance(keyFamilies.up)})`;

export function failingKeys(id: number): PlacedPanel {
  return state({
    id,
    title: "Failing keys",
    // A key that two processes poll is one key.
    expr: `count(${isUp} == 0) or count(${isUp}) * 0`,
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
    empty: NOT_SCRAPED,
    shows: "Keys whose last poll failed.",
    read: "0 is good. One failed poll loses nothing: values stay for three intervals.",
    act: "The table Key polls lists the keys, the graph Failed polls the reasons.",
  });
}

export function oldestData(id: number): PlacedPanel {
  return state({
    id,
    title: "Oldest data",
    expr: `time() - min(${ofInstance(keyFamilies.lastSuccess)})`,
    unit: unit.seconds,
    steps: steps("green", [thresholds.keyStale, "orange"], [thresholds.analyticsStale, "red"]),
    empty: "no answer yet",
    shows: "Age of the last good answer for the key with the oldest data.",
    read: "About one poll interval is good.",
    act: "Find the key in the table Key polls, and check whether the exporter is throttled.",
  });
}

export function throttled(id: number): PlacedPanel {
  return state({
    id,
    title: "Throttled for",
    expr: `clamp_min(max(${ofInstance(families.throttledUntil)}) - time(), 0) > 0`,
    unit: unit.seconds,
    steps: steps("orange"),
    empty: "not throttled",
    shows:
      "How long the exporter still pauses requests to an endpoint because the gateway requested it (429).",
    read: "An occasional pause is harmless. A constant pause means that the exporter sends too many requests.",
    act: "Lower gateway.requests_per_minute, or poll less often.",
  });
}

export function configuration(id: number): PlacedPanel {
  return state({
    id,
    title: "Configuration",
    expr: `min(${ofInstance(families.reloadSuccessful)})`,
    unit: unit.none,
    steps: steps("red", [1, "green"]),
    texts: { 1: { text: "valid", color: "green" }, 0: { text: "invalid", color: "red" } },
    empty: NOT_SCRAPED,
    shows: "Whether the last attempt to load the configuration succeeded.",
    read: "Invalid: the exporter keeps using the previous configuration.",
    act: "Run aigateway-exporter check on the file; the log lists every problem.",
  });
}

export function seriesShare(id: number): PlacedPanel {
  return state({
    id,
    title: "Series limit",
    expr: promql`max(${ofInstance(families.series)} / (${ofInstance(families.seriesLimit)} > 0))`,
    unit: unit.ratio,
    steps: steps("green", [thresholds.seriesLimit, "orange"], [1, "red"]),
    empty: NOT_SCRAPED,
    shows: "Share of series_limit that is in use.",
    read: "At 100 % the exporter rejects whole answers, and their keys or models disappear.",
    act: "Raise series_limit, or lower analytics.top.",
  });
}

/** Marks restarts of the exporter. */
export function restartMarks(): AnnotationQuery {
  return annotation({
    name: "Restarts",
    color: "yellow",
    expr: promql`${ofExporter(`changes(${ofInstance(processSeries.startTime)}[5m])`)} > 0`,
    title: "{{instance}} restarted",
    text: "",
  });
}
