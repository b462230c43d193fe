import type { AnnotationQuery } from "@grafana/grafana-foundation-sdk/dashboard";

import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { selfFamilies as families } from "../../exporter/metrics/self-families.ts";
import { annotation } from "../board/annotations.ts";
import { type Steps, steps } from "../board/color.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { instant } from "../board/query.ts";
import { stat } from "../board/stat.ts";
import { valueTexts } from "../board/table.ts";
import { type Unit, unit } from "../board/unit.ts";
import { processSeries } from "../expressions/process-series.ts";
import { ofExporter, ofInstance } from "../expressions/scope.ts";
import { promql } from "../promql.ts";
import { thresholds } from "../thresholds.ts";

interface Figure {
  readonly id: number;
  readonly title: string;
  readonly expr: string;
  readonly unit: Unit;
  readonly steps: Steps;
  readonly empty: string;
  readonly shows: string;
  readonly read: string;
  readonly act: string;
  readonly texts?: Parameters<typeof valueTexts>[0];
}

function figure({ expr, texts, ...definition }: Figure): PlacedPanel {
  return stat({
    ...definition,
    width: 4,
    queries: [instant(expr)],
    mappings: texts ? [valueTexts(texts)] : [],
  });
}

const NOT_SCRAPED = "not scraped";

export function running(id: number): PlacedPanel {
  return figure({
    id,
    title: "Running",
    expr: `min${ofExporter(ofInstance(processSeries.up))}`,
    unit: unit.none,
    steps: steps("red", [1, "green"]),
    texts: { 1: { text: "yes", color: "green" }, 0: { text: "no", color: "red" } },
    empty: "no such job",
    shows: "Whether Prometheus reaches every chosen process of the exporter.",
    read: "No: at least one of them is not reached.",
    act: "Look at the pod and its log, then at the scrape job.",
  });
}

export function failingKeys(id: number): PlacedPanel {
  return figure({
    id,
    title: "Failing keys",
    expr: `count(${ofInstance(keyFamilies.up)} == 0) or count(${ofInstance(keyFamilies.up)}) * 0`,
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
    empty: NOT_SCRAPED,
    shows: "Keys whose last poll failed.",
    read: "0 is good. One failed poll is no loss: the values stay for three intervals.",
    act: "Which they are stands below; the reasons in Failed polls.",
  });
}

export function oldestData(id: number): PlacedPanel {
  return figure({
    id,
    title: "Oldest data",
    expr: `time() - min(${ofInstance(keyFamilies.lastSuccess)})`,
    unit: unit.seconds,
    steps: steps("green", [thresholds.keyStale, "orange"], [thresholds.analyticsStale, "red"]),
    empty: "no answer yet",
    shows: "Time since the last good answer about the key that has waited longest.",
    read: "About the interval of the polls is good.",
    act: "See below which key it is, and whether the exporter is throttled.",
  });
}

export function throttled(id: number): PlacedPanel {
  return figure({
    id,
    title: "Throttled for",
    expr: `clamp_min(max(${ofInstance(families.throttledUntil)}) - time(), 0) > 0`,
    unit: unit.seconds,
    steps: steps("orange"),
    empty: "not throttled",
    shows: "How long the exporter leaves an endpoint alone because the gateway asked for it (429).",
    read: "Now and then is nothing; all the time means that it asks too often.",
    act: "Lower gateway.requests_per_minute or poll less often.",
  });
}

export function configuration(id: number): PlacedPanel {
  return figure({
    id,
    title: "Configuration",
    expr: `min(${ofInstance(families.reloadSuccessful)})`,
    unit: unit.none,
    steps: steps("red", [1, "green"]),
    texts: { 1: { text: "valid", color: "green" }, 0: { text: "refused", color: "red" } },
    empty: NOT_SCRAPED,
    shows: "Whether the last attempt to read the configuration succeeded.",
    read: "Refused: the exporter goes on with the one before.",
    act: "Run aigateway-exporter check on the file; the log has every problem.",
  });
}

export function seriesShare(id: number): PlacedPanel {
  return figure({
    id,
    title: "Series of the limit",
    expr: promql`max(${ofInstance(families.series)} / (${ofInstance(families.seriesLimit)} > 0))`,
    unit: unit.ratio,
    steps: steps("green", [thresholds.seriesLimit, "orange"], [1, "red"]),
    empty: NOT_SCRAPED,
    shows: "Share of series_limit that is in use.",
    read: "At 100 % answers are refused as a whole, and their keys or models go missing.",
    act: "Raise series_limit, or lower analytics.top.",
  });
}

/** Another process has begun. */
export function restartMarks(): AnnotationQuery {
  return annotation({
    name: "Restarts",
    color: "yellow",
    expr: promql`${ofExporter(`changes(${ofInstance(processSeries.startTime)}[5m])`)} > 0`,
    title: "{{instance}} restarted",
    text: "",
  });
}
