import { probeFamilies as families } from "../../exporter/probes/families.ts";
import { promql, type Series } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { probeAlerts } from "./probe-alerts.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Transcription probes: when they were run and how they usually are, and the alerts on it. */
export function probes(settings: Settings): RuleGroup {
  const { timing } = settings;
  return {
    name: "aigateway-probes",
    comment:
      "Transcription probes: whether they are run and succeed, and whether they are as they usually are.",
    interval: timing.duration(60),
    rules: [...identity(timing), ...medians(timing), ...probeAlerts(settings)],
  };
}

function identity({ memory, probeMemory }: Timing): readonly RecordingRule[] {
  return [
    record(
      recorded.probeOwner,
      "What the probe asks, which key pays, and whose that is: one answer per probe, the one that is scraped now before one that was.",
      promql`
        topk by (job, probe) (1,
          max by (job, probe, model, key) (2 * ${families.info} or last_over_time(${families.info}[${memory}]))
        ) ^ 0
        * on (job, key) group_left (team) ${recorded.keyOwner}`,
    ),
    record(
      recorded.probeInterval,
      "Longest time between two runs by the probe's schedule.",
      latest(families.interval, memory),
    ),
    record(
      recorded.probeLastRun,
      "When the last run was begun. It is remembered when the exporter is started anew.",
      latest(families.lastRun, probeMemory),
    ),
    record(
      recorded.probeLastSuccess,
      "When the last run that succeeded was begun. It is remembered, too.",
      latest(families.lastSuccess, probeMemory),
    ),
    record(
      recorded.probeDuration,
      "Duration of the last run if it brought an answer: a refusal is quick, and a time-out has an alert of its own.",
      promql`max by (job, probe) (${families.duration} and on (job, instance, probe) ${families.wordErrors})`,
    ),
    record(
      recorded.probeWordErrors,
      "Word error rate of the last run.",
      promql`max by (job, probe) (${families.wordErrors})`,
    ),
  ];
}

function latest(series: Series, range: string): string {
  return promql`max by (job, probe) (last_over_time(${series}[${range}]))`;
}

function medians(timing: Timing): readonly RecordingRule[] {
  const [recent, week] = [timing.duration(timing.probeWindow), timing.duration(7 * 86_400)];
  const before = `[${week}] offset ${recent}`;
  const ofRecent = (series: Series) => promql`
    quantile_over_time(0.5, ${series}[${recent}])
    and on (job, probe) changes(${recorded.probeLastRun}[${recent}]) >= ${thresholds.probeRecentRuns}`;
  const ofWeek = (series: Series) => promql`
    quantile_over_time(0.5, ${series}${before})
    and on (job, probe) changes(${recorded.probeLastRun}${before}) >= ${thresholds.probeWeekRuns}`;
  return [
    record(
      recorded.probeDurationRecent,
      "Median duration of the recent runs: half of them took longer. A single slow one does not move it.",
      ofRecent(recorded.probeDuration),
    ),
    record(
      recorded.probeDurationWeek,
      "Median duration of the week before them.",
      ofWeek(recorded.probeDuration),
    ),
    record(
      recorded.probeWordErrorsRecent,
      "Median word error rate of the recent runs.",
      ofRecent(recorded.probeWordErrors),
    ),
    record(
      recorded.probeWordErrorsWeek,
      "Median word error rate of the week before them.",
      ofWeek(recorded.probeWordErrors),
    ),
  ];
}
