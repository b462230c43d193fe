import { probeFamilies as families } from "../../exporter/probes/families.ts";
import { promql, type Series } from "../promql.ts";
import { MINUTE, thresholds } from "../thresholds.ts";
import { uids } from "../uids.ts";
import { withProbeTeam } from "./owner.ts";
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
          sum by (job, probe) (${failed}) >= 2
          unless ${now} - ${recorded.probeLastSuccess} <= ${timing.seconds(probeWindow)}
        )
      )
      and ${isFresh(timing)}`,
    for: 5 * MINUTE,
    summary: "Transcription fails.",
    description:
      "At least the last two runs of the probe {{ $labels.probe }} failed: the model {{ $labels.model }} returned no transcript in time, or too many wrong words. Unless the probe's key {{ $labels.key }} is at fault, every user of the model is affected. The dashboard shows the reasons.",
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
    description:
      "Half of the recent runs of the probe {{ $labels.probe }} took longer than {{ $value | humanizeDuration }}, more than twice last week's median. Check whether the provider of {{ $labels.model }} has an incident; consider another model in the meantime.",
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
    description:
      "Half of the recent transcripts of the probe {{ $labels.probe }} have a word error rate of {{ $value | humanizePercentage }} or more, at least 10 percentage points above last week's median. The provider of {{ $labels.model }} may have changed the model; compare with another one.",
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
      * on (job) group_left () ${spendReached()}`,
    for: 10 * MINUTE,
    summary: "Probes have reached their spending ceiling for today.",
    description:
      'The probe {{ $labels.probe }} does not run again before 00:00 UTC, so failures of {{ $labels.model }} go unnoticed: {{ $value | printf "%.2f" }} credits count against today\'s ceiling. Run probes less often, or raise probe_spend.max_cost_per_day.',
  };
}

function most(series: Series): string {
  return `max by (job) (${series.name})`;
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
      and on (job, probe) ${families.info}
      unless on (job) ${spendReached()}`,
    for: 10 * MINUTE,
    summary: "A probe is due but does not run.",
    description:
      "The probe {{ $labels.probe }} {{ if gt $value 0.0 }}last ran {{ $value | humanizeDuration }} ago{{ else }}has never run{{ end }}, so failures of {{ $labels.model }} go unnoticed. aigateway_probe_skipped_total shows the reason.",
  };
}
