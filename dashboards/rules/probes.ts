import { probeFamilies as families } from "../../exporter/probes/families.ts";
import { promql, type Series } from "../promql.ts";
import { DAY, MINUTE, thresholds } from "../thresholds.ts";
import { uids } from "../uids.ts";
import { ofProbeOwner, PROBE } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Alerts on the results of transcription probes, and on probes that do not run. */
export function probes(settings: Settings): RuleGroup {
  const { timing } = settings;
  return {
    name: "aigateway-probes",
    comment: "Transcription probes: whether they run and succeed, and whether their results are as usual.",
    interval: timing.duration(2 * MINUTE),
    rules: [failing, slow, qualityDropped, spendLimit, notRun].map((define) => {
      const definition = define(timing);
      return createAlert(
        settings,
        { uid: uids.exporter, labels: ["job"] },
        { ...definition, expr: ofProbeOwner(timing, definition.expr) },
      );
    }),
  };
}

/** A value of each probe, remembered across restarts of the exporter. */
function latest({ probeMemory }: Timing, series: Series): string {
  return promql`max by (job, gateway, probe) (last_over_time(${series}[${probeMemory}]))`;
}

/** The second part covers schedules with long pauses, for example at night, and probes that have never succeeded. */
function failing(timing: Timing): AlertDefinition {
  const [lastRun, lastSuccess] = [latest(timing, families.lastRun), latest(timing, families.lastSuccess)];
  const failed = promql`sum by (job, gateway, probe) (increase(${families.failures}[${timing.duration(timing.probeWindow)}]))`;
  return {
    name: "AIGatewayProbeFailing",
    severity: "critical",
    fires: "Transcription fails.",
    expr: promql`
      (${lastRun} - ${lastSuccess} > ${thresholds.probeFailedIntervals} * ${latest(timing, families.interval)}
      or ${failed} >= 2 unless ${timing.now} - ${lastSuccess} <= ${timing.probeWindow})
      and on (job, gateway, probe) last_over_time(${families.success}[${timing.memory}]) == 0`,
    for: 5 * MINUTE,
    summary: `Transcription with {{ $labels.model }} fails (probe {{ $labels.probe }})`,
    description: `Users of {{ $labels.model }} may get no transcripts in time, or wrong ones: at least the last two runs of the ${PROBE} failed. The dashboard shows the reasons. If they are not about the probe's own key, send the traffic to another model.`,
  };
}

function runs(range: string): string {
  return promql`sum by (job, gateway, probe) (changes(${families.lastRun}${range}))`;
}

/** The median of the recent runs, and that of the week before them. */
function medians({ duration, probeWindow }: Timing, { name }: Series) {
  const median = (range: string) =>
    promql`quantile by (job, gateway, probe) (0.5, quantile_over_time(0.5, ${name}${range}))`;
  const week = `[${duration(7 * DAY)}] offset ${duration(probeWindow)}`;
  const recent = `[${duration(probeWindow)}]`;
  return {
    recent: median(recent),
    week: median(week),
    enough: promql`and ${runs(recent)} >= ${thresholds.probeRecentRuns} and ${runs(week)} >= ${thresholds.probeWeekRuns}`,
  };
}

function slow(timing: Timing): AlertDefinition {
  const { recent, week, enough } = medians(timing, families.duration);
  return {
    name: "AIGatewayProbeSlow",
    severity: "warning",
    fires: "Transcription is much slower than last week.",
    expr: promql`
      ${recent} > ${thresholds.probeSlowSeconds} + ${thresholds.probeSlowFactor} * ${week}
      ${enough}`,
    for: 10 * MINUTE,
    summary: `Transcription with {{ $labels.model }} is much slower than last week (probe {{ $labels.probe }})`,
    description: `Users of {{ $labels.model }} may wait longer: half of the recent runs of the ${PROBE} took longer than {{ $value | humanizeDuration }}, more than twice last week's median. Check whether the provider has an incident.`,
  };
}

function qualityDropped(timing: Timing): AlertDefinition {
  const { recent, week, enough } = medians(timing, families.wordErrors);
  return {
    name: "AIGatewayProbeQualityDropped",
    severity: "warning",
    fires: "Transcripts have many more wrong words than last week.",
    expr: promql`
      ${recent} > ${thresholds.probeWordErrors} + ${week}
      ${enough}`,
    for: 10 * MINUTE,
    summary: `Transcripts of {{ $labels.model }} have many more wrong words than last week (probe {{ $labels.probe }})`,
    description: `Transcripts of {{ $labels.model }} may have got worse: half of the recent runs of the ${PROBE} have a word error rate of {{ $value | humanizePercentage }} or more, 10 points above last week's median. The provider may have changed the model.`,
  };
}

function most(series: Series): string {
  return promql`max by (job, gateway) (${series})`;
}

/** The spend of the day, where the next run would exceed the daily ceiling of the probes. */
function spendReached(): string {
  return promql`(${most(families.spendDay)} > ${most(families.spendDayLimit)} - ${most(families.costLimit)})`;
}

function spendLimit({ memory }: Timing): AlertDefinition {
  return {
    name: "AIGatewayProbeSpendLimit",
    severity: "warning",
    fires: "Probes have reached their spending ceiling for today.",
    expr: promql`
      max by (job, gateway, probe) (last_over_time(${families.info}[${memory}]))
      * on (job, gateway) group_left () ${spendReached()}`,
    for: 10 * MINUTE,
    summary: `Probe {{ $labels.probe }} does not run again today: its ceiling is reached`,
    description: `Failures of {{ $labels.model }} go unnoticed until 00:00 UTC: {{ $value | printf "%.2f" }} credits of the ${PROBE} count against the ceiling. Run probes less often, or raise probe_spend.max_cost_per_day.`,
  };
}

/** A probe that has never run counts once it has been due twice within the window, with the value 0. */
function notRun(timing: Timing): AlertDefinition {
  const { now, probeWindow, duration } = timing;
  const [lastRun, interval] = [latest(timing, families.lastRun), latest(timing, families.interval)];
  const never = promql`0 * (${families.interval} offset ${duration(probeWindow)} <= ${probeWindow / 2}) unless on (job, gateway, probe) ${lastRun}`;
  return {
    name: "AIGatewayProbeNotRun",
    severity: "warning",
    fires: "A probe is due but does not run.",
    expr: promql`
      max by (job, gateway, probe) (${now} - ${lastRun} > ${thresholds.probeStaleIntervals} * ${interval} or ${never})
      unless on (job, gateway) ${spendReached()}
      and on (job, gateway, probe) ${families.info}`,
    for: 10 * MINUTE,
    summary: `Probe {{ $labels.probe }} is due but does not run`,
    description: `Failures of {{ $labels.model }} go unnoticed: the ${PROBE} {{ if gt $value 0.0 }}last ran {{ $value | humanizeDuration }} ago{{ else }}has never run{{ end }}. aigateway_probe_skipped_total shows the reason.`,
  };
}
