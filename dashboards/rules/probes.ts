import { probeFamilies as families } from "../../exporter/probes/families.ts";
import { promql, type Series } from "../promql.ts";
import { DAY, MINUTE, thresholds } from "../thresholds.ts";
import { probeAlerts } from "./probe-alerts.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Recording rules for the last runs and usual results of transcription probes, and the alerts on them. */
export function probes(settings: Settings): RuleGroup {
  const { timing } = settings;
  return {
    name: "aigateway-probes",
    comment: "Transcription probes: whether they run and succeed, and whether their results are as usual.",
    interval: timing.duration(MINUTE),
    rules: [...identity(timing), ...medians(timing), ...probeAlerts(settings)],
  };
}

function identity({ memory, probeMemory }: Timing): readonly RecordingRule[] {
  return [
    record(
      recorded.probeOwner,
      "Model of the probe, the key that pays, and its team. One series per probe: the one scraped now takes precedence over a remembered one.",
      promql`
        topk by (job, gateway, probe) (1,
          max by (job, gateway, probe, model, key) (2 * ${families.info} or last_over_time(${families.info}[${memory}]))
        ) ^ 0
        * on (job, gateway, key) group_left (team) ${recorded.keyOwner}`,
    ),
    record(
      recorded.probeInterval,
      "Longest time between two runs of the probe's schedule.",
      latest(families.interval, memory),
    ),
    record(
      recorded.probeLastRun,
      "When the last run started. It is remembered across restarts of the exporter.",
      latest(families.lastRun, probeMemory),
    ),
    record(
      recorded.probeLastSuccess,
      "When the last successful run started. It is remembered across restarts of the exporter.",
      latest(families.lastSuccess, probeMemory),
    ),
    record(
      recorded.probeDuration,
      "Duration of the last run if it returned a transcript. Refusals are quick, and timeouts have their own alert.",
      promql`max by (job, gateway, probe) (${families.duration} and on (job, gateway, instance, probe) ${families.wordErrors})`,
    ),
    record(
      recorded.probeWordErrors,
      "Word error rate of the last run.",
      promql`max by (job, gateway, probe) (${families.wordErrors})`,
    ),
  ];
}

function latest(series: Series, range: string): string {
  return promql`max by (job, gateway, probe) (last_over_time(${series}[${range}]))`;
}

function medians(timing: Timing): readonly RecordingRule[] {
  const [recent, week] = [timing.duration(timing.probeWindow), timing.duration(7 * DAY)];
  const before = `[${week}] offset ${recent}`;
  const ofRecent = (series: Series) => promql`
    quantile_over_time(0.5, ${series}[${recent}])
    and on (job, gateway, probe) changes(${recorded.probeLastRun}[${recent}]) >= ${thresholds.probeRecentRuns}`;
  const ofWeek = (series: Series) => promql`
    quantile_over_time(0.5, ${series}${before})
    and on (job, gateway, probe) changes(${recorded.probeLastRun}${before}) >= ${thresholds.probeWeekRuns}`;
  return [
    record(
      recorded.probeDurationRecent,
      "Median duration of the recent runs. A single slow run does not change it.",
      ofRecent(recorded.probeDuration),
    ),
    record(
      recorded.probeDurationWeek,
      "Median duration in the week before the recent runs.",
      ofWeek(recorded.probeDuration),
    ),
    record(
      recorded.probeWordErrorsRecent,
      "Median word error rate of the recent runs.",
      ofRecent(recorded.probeWordErrors),
    ),
    record(
      recorded.probeWordErrorsWeek,
      "Median word error rate in the week before the recent runs.",
      ofWeek(recorded.probeWordErrors),
    ),
  ];
}
