import { probeFamilies as families } from "../../exporter/probes/families.ts";
import { promql, type Series } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { uids } from "../uids.ts";
import { withProbeTeam } from "./owner.ts";
import type { AlertRule } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Alerts on what transcription probes find out, and on probes that are not run. */
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

/** What was found out so long ago is no matter for alerts; AIGatewayProbeNotRun is. */
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
      "Two runs in a row. The second part is for schedules with long pauses, as over nights, and for probes that have never succeeded.",
    expr: promql`
      (
        ${recorded.probeLastRun} - ${recorded.probeLastSuccess} > ${thresholds.probeFailedIntervals} * ${recorded.probeInterval}
        or (
          sum by (job, probe) (${failed}) >= 2
          unless ${now} - ${recorded.probeLastSuccess} <= ${timing.seconds(probeWindow)}
        )
      )
      and ${isFresh(timing)}`,
    for: 5 * 60,
    summary: "Transcription fails.",
    description:
      "The last two runs of the probe {{ $labels.probe }} failed, or more: the model {{ $labels.model }} gave no transcript to the key {{ $labels.key }} in time, or too many wrong words. The dashboard shows the reasons; whoever uses the model has the same trouble, unless it is the key's.",
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
    for: 10 * 60,
    summary: "Transcription is much slower than in the week before.",
    description:
      "Half of the recent runs of the probe {{ $labels.probe }} took longer than {{ $value | humanizeDuration }}, twice as long as in the week before. See whether the provider of {{ $labels.model }} has an incident; another model may serve better meanwhile.",
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
    for: 10 * 60,
    summary: "Transcripts have many more wrong words than in the week before.",
    description:
      "Half of the recent transcripts of the probe {{ $labels.probe }} have a word error rate of {{ $value | humanizePercentage }} or more, a tenth of the words above the week before. The provider of {{ $labels.model }} may have changed the model; compare with another one.",
  };
}

/** The next run would go beyond what probes may spend on a day. One value per job, that of the spend. */
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
    for: 10 * 60,
    summary: "Probes have spent what they may on this day.",
    description:
      '{{ $value | printf "%.2f" }} credits count against the ceiling of the day, so that the probe {{ $labels.probe }} is not run again before 00:00 UTC and nobody sees how {{ $labels.model }} transcribes. Run probes less often, or raise probe_spend.max_cost_per_day.',
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
      "The second part is for probes that were never run: the value is 0. A probe that is configured no more is remembered, and not due.",
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
    for: 10 * 60,
    summary: "A probe is due and not run.",
    description:
      "The last run of the probe {{ $labels.probe }} {{ if gt $value 0.0 }}was {{ $value | humanizeDuration }} ago{{ else }}never came{{ end }}: nobody sees how {{ $labels.model }} transcribes. The reason is counted in aigateway_probe_skipped_total.",
  };
}
