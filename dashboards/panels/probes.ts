import { probeFamilies as families } from "../../exporter/probes/families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { range } from "../builder/query.ts";
import { type Figure, figure } from "../builder/stat.ts";
import { type Column, labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { bars, lines } from "../builder/time-series.ts";
import { unit } from "../builder/unit.ts";
import { ofInstance } from "../expressions/scope.ts";
import { promql, type Series } from "../promql.ts";
import { thresholds } from "../thresholds.ts";

const perProbe = (series: Series<"probe">) => `max by (probe) (${ofInstance(series)})`;

const NOT_CONFIGURED = "No probe is configured (probes in the exporter's configuration), or none has run yet";
const NONE = "no probes";
const SUCCESS = { 1: { text: "ok", color: "green" }, 0: { text: "failed", color: "red" } };
const LANGUAGE = { 1: { text: "as expected", color: "green" }, 0: { text: "different", color: "orange" } };

/** Without a figure, there are no probes, or none has run yet. */
const ofProbes = ({ expr, ...definition }: Omit<Figure, "width" | "empty">) =>
  figure({
    ...definition,
    expr: promql`(${expr}) or count(${ofInstance(families.info)}) * 0 - 1`,
    texts: { "-1": { text: "no run yet", color: "text" } },
    width: 6,
    empty: NONE,
  });

export function failing(id: number): PlacedPanel {
  return ofProbes({
    id,
    title: "Failing probes",
    expr: promql`count(${perProbe(families.success)} == 0) or count(${ofInstance(families.info)}) * 0`,
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
    shows: "Transcription probes whose last run failed: no answer in time, or too many wrong words.",
    read: "0 is good. A single failure may be a coincidence; the probe runs again when its next run is due.",
    act: "The graph Failed and skipped runs shows the reasons, the table Last results each probe.",
  });
}

export function oldestRun(id: number): PlacedPanel {
  return ofProbes({
    id,
    title: "Oldest run, in intervals",
    expr: promql`max((time() - ${perProbe(families.lastRun)}) / ${perProbe(families.interval)})`,
    unit: unit.tenths,
    steps: steps("green", [thresholds.probeStaleIntervals, "orange"]),
    shows: "Time since the last run of the most overdue probe, in intervals of its schedule.",
    read: "Up to 1 is good. Above 3, the exporter withdraws the probe's values.",
    act: "The graph Failed and skipped runs shows why the probe does not run.",
  });
}

export function spent(id: number): PlacedPanel {
  return ofProbes({
    id,
    title: "Cost today",
    expr: `max(${ofInstance(families.spendDay)})`,
    unit: unit.credits,
    steps: steps("text"),
    shows: "Credits that count against today's ceiling (UTC), for all probes together.",
    read: "It includes what the probes' keys had used today before the exporter started, because probes may have spent it.",
    act: "Give the probes their own key, so that no other spend counts.",
  });
}

export function spentShare(id: number): PlacedPanel {
  return ofProbes({
    id,
    title: "Share of the ceiling",
    expr: promql`max(${ofInstance(families.spendDay)} / ${ofInstance(families.spendDayLimit)})`,
    unit: unit.ratio,
    steps: steps("green", [1 - thresholds.low, "orange"], [1, "red"]),
    shows: "Share of the daily ceiling (probe_spend.max_cost_per_day) that is used.",
    read: "The exporter skips a run that might exceed the ceiling, so the share rarely reaches exactly 100 %.",
    act: "Run probes less often, or raise the ceiling.",
  });
}

export function duration(id: number): PlacedPanel {
  return lines({
    id,
    title: "Probe duration",
    width: 8,
    shows: "How long the last run of each probe took, including failed runs, and the usual duration.",
    read: "Usual is the median of the last week. An alert fires when runs take twice as long for hours.",
    act: "Check whether the provider has an incident, and compare with a probe of another model.",
    empty: NOT_CONFIGURED,
    queries: [
      range(perProbe(families.duration), "{{probe}}"),
      range(
        promql`quantile by (probe) (0.5, quantile_over_time(0.5, ${ofInstance(families.duration)}[7d] @ end()))`,
        "usual, {{probe}}",
      ),
    ],
    unit: unit.seconds,
  });
}

export function wordErrors(id: number): PlacedPanel {
  return lines({
    id,
    title: "Word error rate",
    width: 8,
    shows:
      "Wrong, missing and added words in the last transcript of each probe, divided by the number of expected words.",
    read: "0 means that the transcript equals the expected text. Above the probe's limit, the run fails (wrong_text).",
    act: "Compare with the expected text: aigateway-exporter probe prints both. The provider may have changed the model.",
    empty: NOT_CONFIGURED,
    queries: [
      range(perProbe(families.wordErrors), "{{probe}}"),
      range(perProbe(families.wordErrorLimit), "limit, {{probe}}"),
    ],
    unit: unit.ratio,
  });
}

export function failures(id: number): PlacedPanel {
  return bars({
    id,
    title: "Failed and skipped runs",
    width: 8,
    shows: "Probe runs that failed, and due runs that did not start, by reason.",
    read: "Empty is good. unauthorized and payment_required concern the probe's key; spend_limit is the daily ceiling.",
    act: "timeout, upstream_error: check the provider. wrong_text: see the word error rate. running: the previous run had not ended; run the probe less often.",
    empty: "No run failed or was skipped in this range",
    queries: [
      range(counted(families.failures), "{{probe}} {{reason}}"),
      range(counted(families.skipped), "{{probe}} skipped, {{reason}}"),
    ],
    unit: unit.count,
    interval: "1m",
  });
}

function counted(series: Series<"probe" | "reason">): string {
  return promql`sum by (probe, reason) (increase(${ofInstance(series)}[$__rate_interval])) > 0`;
}

/** All results of the last run of each probe. */
export function lastResults(id: number): PlacedPanel {
  return table({
    id,
    title: "Last results",
    width: 24,
    shows: "The results of the last run of each transcription probe.",
    read: "Failed runs first. A dash means that the answer lacks the field: the json format has no language and no confidence. Speed is seconds of audio per second.",
    act: "The three graphs above show when a failure began, and why.",
    empty: "No probe is configured (probes in the exporter's configuration)",
    columns: [
      labelColumn("probe", "Probe", { width: 150 }),
      labelColumn("model", "Model", { width: 190 }),
      labelColumn("key", "Key", { width: 120 }),
      valueColumn("Configured", `max by (probe, model, key) (${ofInstance(families.info)})`, unit.none, {
        hidden: true,
      }),
      verdict("Last run", families.success, SUCCESS),
      valueColumn("Age", `time() - ${perProbe(families.lastRun)}`, unit.seconds),
      valueColumn("Duration", perProbe(families.duration), unit.seconds),
      valueColumn("Speed", perProbe(families.speed), unit.amount),
      valueColumn("Word errors", perProbe(families.wordErrors), unit.ratio),
      valueColumn("At most", perProbe(families.wordErrorLimit), unit.ratio),
      verdict("Language", families.language, LANGUAGE),
      valueColumn("Confidence", perProbe(families.confidence), unit.ratio),
      valueColumn("Cost", perProbe(families.cost), unit.perRequest),
    ],
    sortBy: [
      { title: "Last run", desc: false },
      { title: "Probe", desc: false },
    ],
  });
}

function verdict(title: string, series: Series<"probe">, texts: Parameters<typeof valueTexts>[0]): Column {
  return valueColumn(title, perProbe(series), unit.none, {
    cell: "text",
    steps: steps("text"),
    mappings: [valueTexts(texts)],
  });
}
