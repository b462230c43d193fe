import { probeFamilies as families } from "../../exporter/probes/families.ts";
import { type Steps, steps } from "../board/color.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { instant, range } from "../board/query.ts";
import { stat } from "../board/stat.ts";
import { type Column, labelColumn, table, valueColumn, valueTexts } from "../board/table.ts";
import { bars, lines } from "../board/time-series.ts";
import { type Unit, unit } from "../board/unit.ts";
import { ofInstance, ofJob } from "../expressions/scope.ts";
import { promql, type Series } from "../promql.ts";
import { recorded } from "../rules/series.ts";
import { thresholds } from "../thresholds.ts";

const perProbe = (series: Series<"probe">) => `max by (probe) (${ofInstance(series)})`;

const NOT_CONFIGURED = "No probe is configured (probes in the exporter's configuration), or none was run yet";
const NONE = "no probes";
const SUCCESS = { 1: { text: "ok", color: "green" }, 0: { text: "failed", color: "red" } };
const LANGUAGE = { 1: { text: "as expected", color: "green" }, 0: { text: "another", color: "orange" } };

interface Figure {
  readonly id: number;
  readonly title: string;
  readonly expr: string;
  readonly unit: Unit;
  readonly steps: Steps;
  readonly shows: string;
  readonly read: string;
  readonly act: string;
}

function figure({ expr, ...definition }: Figure): PlacedPanel {
  return stat({ ...definition, width: 6, queries: [instant(expr)], empty: NONE });
}

export function failing(id: number): PlacedPanel {
  return figure({
    id,
    title: "Failing probes",
    expr: promql`count(${perProbe(families.success)} == 0) or count(${ofInstance(families.info)}) * 0`,
    unit: unit.count,
    steps: steps("green", [1, "orange"]),
    shows: "Transcription probes whose last run failed: no answer in time, or too many wrong words.",
    read: "0 is good. A single failed run may be bad luck; it is not repeated before the next one is due.",
    act: "The reasons are beside it, in Failed and skipped runs; each probe stands in Last results.",
  });
}

export function oldestRun(id: number): PlacedPanel {
  return figure({
    id,
    title: "Oldest run, in intervals",
    expr: promql`max((time() - ${perProbe(families.lastRun)}) / ${perProbe(families.interval)})`,
    unit: unit.amount,
    steps: steps("green", [thresholds.probeStaleIntervals, "orange"]),
    shows: "Time since the last run of the probe that has waited longest, by the interval of its schedule.",
    read: "Up to 1 is good. Above 3 its values are withdrawn.",
    act: "See Failed and skipped runs for why it is not run.",
  });
}

export function spent(id: number): PlacedPanel {
  return figure({
    id,
    title: "Cost today",
    expr: `max(${ofInstance(families.spendDay)})`,
    unit: unit.credits,
    steps: steps("text"),
    shows: "Credits that count against the ceiling of this UTC day, of all probes together.",
    read: "What the keys of the probes had used when the exporter started is part of it, since probes may have spent it.",
    act: "Give probes a key of their own, so that nobody else's spend counts.",
  });
}

export function spentShare(id: number): PlacedPanel {
  return figure({
    id,
    title: "Of the ceiling",
    expr: promql`max(${ofInstance(families.spendDay)} / ${ofInstance(families.spendDayLimit)})`,
    unit: unit.ratio,
    steps: steps("green", [1 - thresholds.low, "orange"], [1, "red"]),
    shows: "Share of the ceiling of the day (probe_spend.max_cost_per_day) that is used.",
    read: "A run that might go beyond it is skipped, so that 100 % is seldom reached to the digit.",
    act: "Run probes less often, or raise the ceiling.",
  });
}

export function duration(id: number): PlacedPanel {
  return lines({
    id,
    title: "Duration of probes",
    width: 8,
    shows:
      "How long the last run of each probe took, failed ones too, and what is usual of those with an answer.",
    read: "Usual is the median of the week before the last hours. Twice as long for hours is an alert.",
    act: "See whether the provider has an incident, and compare with a probe of another model.",
    empty: NOT_CONFIGURED,
    queries: [
      range(perProbe(families.duration), "{{probe}}"),
      range(promql`max by (probe) (${ofJob(recorded.probeDurationWeek)})`, "usual, {{probe}}"),
    ],
    unit: unit.seconds,
  });
}

export function wordErrors(id: number): PlacedPanel {
  return lines({
    id,
    title: "Word error rate",
    width: 8,
    shows: "Wrong, missing and added words of the last transcript of each probe, by the expected words.",
    read: "0 is the expected text. Above the probe's limit the run has failed (wrong_text).",
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
    shows: "Runs of probes that failed, and runs that were due and not begun, by reason.",
    read: "Empty is good. unauthorized and payment_required are of the probe's key; spend_limit is the ceiling of the day.",
    act: "timeout and upstream_error: the provider fails. wrong_text: see the word error rate. running: the schedule is too dense.",
    empty: "No run has failed or was skipped in this range",
    queries: [
      range(counted(families.failures), "{{probe}} {{reason}}"),
      range(counted(families.skipped), "{{probe}} skipped, {{reason}}"),
    ],
    unit: unit.amount,
    interval: "1m",
  });
}

function counted(series: Series<"probe" | "reason">): string {
  return promql`sum by (probe, reason) (increase(${ofInstance(series)}[$__rate_interval])) > 0`;
}

/** Everything that the last run of each probe told. */
export function lastResults(id: number): PlacedPanel {
  return table({
    id,
    title: "Last results",
    width: 24,
    shows: "What the last run of each transcription probe told.",
    read: "Failed ones first. A dash is what the answer did not tell: json has no language and no confidence. Speed is seconds of audio per second.",
    act: "See the three graphs above for since when and why.",
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
      valueColumn("Cost", perProbe(families.cost), unit.price),
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
