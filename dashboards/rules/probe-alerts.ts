import { probeFamilies as families } from "../../exporter/probes/families.ts";
import { promql, type Series } from "../promql.ts";
import { MINUTE, thresholds } from "../thresholds.ts";
import { uids } from "../uids.ts";
import { PROBE, withProbeTeam } from "./owner.ts";
import type { AlertRule } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Alerts on the results of transcription probes, and on probes that do not run. */
export function probeAlerts(settings: Settings): readonly AlertRule[] {
  const { timing } = settings;
  const alert = (definition: AlertDefinition) => createAlert(settings, { uid: uids.exporter }, definition);
  const ofProbe = (definition: AlertDefinition) =>
    alert({ ...definition, expr: withProbeTeam(definition.expr) });
  return [
    ofProbe(failing(timing)),
    ofProbe(slow(timing)),
    ofProbe(qualityDropped(timing)),
    alert(spendLimit()),
    ofProbe(notRun(timing)),
  ];
}

/** Excludes outdated results; AIGatewayProbeNotRun reports those. */
function isFresh({ now }: Timing): string {
  return promql`${now} - ${recorded.probeLastRun} <= ${thresholds.probeStaleIntervals} * ${recorded.probeInterval}`;
}

function failing(timing: Timing): AlertDefinition {
  const { now, probeWindow } = timing;
  const failed = `increase(${families.failures.name}[${timing.duration(probeWindow)}])`;
  return {
    name: "AIGatewayProbeFailing",
    severity: "critical",
    comment:
      "Two runs in a row. The second part covers schedules with long pauses, for example at night, and probes that have never succeeded.",
    expr: promql`
      (
        ${recorded.probeLastRun} - ${recorded.probeLastSuccess} > ${thresholds.probeFailedIntervals} * ${recorded.probeInterval}
        or (
          sum by (job, gateway, probe) (${failed}) >= 2
          unless ${now} - ${recorded.probeLastSuccess} <= ${timing.seconds(probeWindow)}
        )
      )
      and ${isFresh(timing)}`,
    for: 5 * MINUTE,
    summary: "Transcription fails.",
    description: `Users of {{ $labels.model }} may get no transcripts in time, or wrong ones: at least the last two runs of the ${PROBE} failed. The dashboard shows the reasons. If they are not about the probe's own key, send the traffic to another model.`,
  };
}

function slow(timing: Timing): AlertDefinition {
  const [recent, week] = [recorded.probeDurationRecent, recorded.probeDurationWeek];
  return {
    name: "AIGatewayProbeSlow",
    severity: "warning",
    expr: promql`
      ${recent} > ${thresholds.probeSlowFactor} * ${week}
      and ${recent} - ${week} > ${timing.seconds(thresholds.probeSlowSeconds)}
      and ${isFresh(timing)}`,
    for: 10 * MINUTE,
    summary: "Transcription is much slower than last week.",
    description: `Users of {{ $labels.model }} may wait longer: half of the recent runs of the ${PROBE} took longer than {{ $value | humanizeDuration }}, more than twice last week's median. Check whether the provider has an incident; consider another model in the meantime.`,
  };
}

function qualityDropped(timing: Timing): AlertDefinition {
  const [recent, week] = [recorded.probeWordErrorsRecent, recorded.probeWordErrorsWeek];
  return {
    name: "AIGatewayProbeQualityDropped",
    severity: "warning",
    expr: promql`
      ${recent} > ${thresholds.probeWordErrors} + ${week}
      and ${isFresh(timing)}`,
    for: 10 * MINUTE,
    summary: "Transcripts have many more wrong words than last week.",
    description: `Transcripts of {{ $labels.model }} may have got worse: half of the recent runs of the ${PROBE} have a word error rate of {{ $value | humanizePercentage }} or more, at least 10 percentage points above last week's median. The provider may have changed the model; compare with another one.`,
  };
}

/** The next run would exceed the daily ceiling of the probes. The value, one per job, is today's spend. */
function spendReached(): string {
  return promql`(${most(families.spendDay)} and ${most(families.spendDay)} + ${most(families.costLimit)} > ${most(families.spendDayLimit)})`;
}

function spendLimit(): AlertDefinition {
  return {
    name: "AIGatewayProbeSpendLimit",
    severity: "warning",
    expr: promql`
      ${recorded.probeOwner}
      * on (job, gateway) group_left () ${spendReached()}`,
    for: 10 * MINUTE,
    summary: "Probes have reached their spending ceiling for today.",
    description: `Failures of {{ $labels.model }} go unnoticed until 00:00 UTC: the ${PROBE} does not run again today, because {{ $value | printf "%.2f" }} credits count against the ceiling of the day. Run probes less often, or raise probe_spend.max_cost_per_day.`,
  };
}

function most(series: Series): string {
  return `max by (job, gateway) (${series.name})`;
}

function notRun(timing: Timing): AlertDefinition {
  const { now, probeWindow } = timing;
  const interval = recorded.probeInterval;
  const known = promql`${interval} and ${interval} offset ${timing.duration(probeWindow)}`;
  return {
    name: "AIGatewayProbeNotRun",
    severity: "warning",
    comment:
      "The second part covers probes that have never run, with the value 0. A probe that was removed from the configuration is remembered but not due.",
    expr: promql`
      (
        ${now} - ${recorded.probeLastRun} > ${thresholds.probeStaleIntervals} * ${interval}
        or (
          0 * (2 * (${known}) <= ${timing.seconds(probeWindow)})
          unless ${recorded.probeLastRun}
        )
      )
      and on (job, gateway, probe) ${families.info}
      unless on (job, gateway) ${spendReached()}`,
    for: 10 * MINUTE,
    summary: "A probe is due but does not run.",
    description: `Failures of {{ $labels.model }} go unnoticed: the ${PROBE} {{ if gt $value 0.0 }}last ran {{ $value | humanizeDuration }} ago{{ else }}has never run{{ end }}. aigateway_probe_skipped_total shows the reason.`,
  };
}
