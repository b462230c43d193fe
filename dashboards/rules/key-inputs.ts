import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { type Series, promql, select } from "../promql.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";
import { DAY, HOUR, MINUTE } from "../thresholds.ts";

/** The current values and burn rates of each key: one series per key, however many processes report it. */
export function keyInputs({ timing }: Settings): RuleGroup {
  return {
    name: "aigateway-key-inputs",
    comment:
      "The current values of each key, whichever process reports them. The limit, the remaining credits and the reset come from the same answer and disappear together.",
    interval: timing.duration(MINUTE),
    rules: [
      ...identity(timing),
      ...amounts(timing),
      limitReset(timing),
      remaining(timing),
      ...burns(timing),
      ...exhaustions(),
    ],
  };
}

function identity({ memory }: Timing): readonly RecordingRule[] {
  return [
    record(
      recorded.keyOwner,
      "Team of the key. One series per key, because joins fail on two: the one scraped now takes precedence over a remembered one.",
      promql`
        topk by (job, key) (1,
          max by (job, key, team) (2 * ${families.ownerInfo} or last_over_time(${families.ownerInfo}[${memory}]))
        ) ^ 0`,
    ),
    record(
      recorded.lastSuccess,
      "When the newest answer for the key was requested. It is the clock of the rates below, and it stops while the gateway is down.",
      promql`max by (job, key) (last_over_time(${families.lastSuccess}[${memory}]))`,
    ),
    record(
      recorded.instanceFreshest,
      "The process with the newest answer for the key. Only its figures count: no sums over replicas, no figures of terminated pods.",
      promql`
        last_over_time(${families.lastSuccess}[${memory}])
        == on (job, key) group_left () ${recorded.lastSuccess}`,
    ),
  ];
}

function amounts({ memory, memorySeconds, now }: Timing): readonly RecordingRule[] {
  const counted = (own: Series, byok: Series) => promql`
    max by (job, key) (
      (
        last_over_time(${own}[${memory}])
          + last_over_time(${byok}[${memory}]) * last_over_time(${families.byokInLimit}[${memory}])
        or last_over_time(${own}[${memory}])
      )
      and on (job, instance, key) ${recorded.instanceFreshest}
    )`;
  return [
    record(
      recorded.usage,
      "All usage that counts toward the limit, including own provider keys if they count. The last figure is kept while the gateway is down, so that the rates continue where they stopped.",
      `${counted(families.usage, families.byokUsage)}\n${promql`or (${recorded.usage} and on (job, key) ${recorded.lastSuccess})`}`,
    ),
    record(
      recorded.usageDay,
      "The same since midnight UTC. Absent until the look-back no longer reaches yesterday.",
      `${counted(families.usageDay, families.byokUsageDay)}\n${promql`and on () vector(${now} % 86400) >= ${memorySeconds}`}`,
    ),
    record(
      recorded.limit,
      "The credit limit.",
      promql`
        max by (job, key) (
          last_over_time(${families.limit}[${memory}])
          and on (job, instance, key) ${recorded.instanceFreshest}
        )`,
    ),
  ];
}

function limitReset({ memory, now }: Timing): RecordingRule {
  const never = select(families.limitReset, { aigateway_key_limit_reset: "never" });
  return record(
    recorded.resetSeconds,
    "Seconds until the limit resets; infinite if it never does. If the reset is unknown, the earliest possible one is assumed: the next midnight UTC.",
    promql`
      max by (job, key) (
        last_over_time(${families.nextReset}[${memory}])
        and on (job, instance, key) ${recorded.instanceFreshest}
      ) - ${now}
      or max by (job, key) (
        last_over_time(${never}[${memory}]) == 1
        and on (job, instance, key) ${recorded.instanceFreshest}
      ) * Inf
      or ${recorded.limit} * 0 + (86400 - ${now} % 86400)`,
  );
}

function remaining({ memory, memorySeconds, now }: Timing): RecordingRule {
  return record(
    recorded.remaining,
    "Credits left. Absent if the limit has reset since the last answer, or if no answer arrived within the look-back.",
    promql`
      max by (job, key) (
        last_over_time(${families.remaining}[${memory}])
        and on (job, instance, key) ${recorded.instanceFreshest}
      )
      and on (job, key) ${recorded.resetSeconds} > 0
      and on (job, key) ${now} - ${recorded.lastSuccess} < ${memorySeconds}`,
  );
}

function burns(timing: Timing): readonly RecordingRule[] {
  const burn = (series: Series, window: number, measured: number, comment: string) => {
    const ago = timing.duration(window);
    return record(
      series,
      comment,
      promql`
        clamp_min(${recorded.usage} - ${recorded.usage} offset ${ago}, 0)
        / (${recorded.lastSuccess} - ${recorded.lastSuccess} offset ${ago} >= ${timing.seconds(measured)})`,
    );
  };
  return [
    burn(
      recorded.burn15m,
      timing.burnWindow,
      timing.burnWindow / 3,
      "Credits per second over 15 minutes. The divisor is the time between the answers, so that the jump after an outage is spread over the outage. Downward corrections count as zero.",
    ),
    burn(recorded.burn1h, HOUR, 10 * MINUTE, "Credits per second over an hour."),
    burn(recorded.burn6h, 6 * HOUR, HOUR, "Credits per second over six hours."),
    burn(recorded.burn1d, DAY, 6 * HOUR, "Credits per second over a day."),
    burn(recorded.burn3d, 3 * DAY, DAY, "Credits per second over three days."),
  ];
}

function exhaustions(): readonly RecordingRule[] {
  return [
    exhaustion(
      recorded.exhaustion15m,
      recorded.burn15m,
      "Seconds until the key runs out at the rate of the last 15 minutes. Absent while nothing is spent.",
    ),
    exhaustion(
      recorded.exhaustion1h,
      recorded.burn1h,
      "Seconds until the key runs out at the rate of the last hour.",
    ),
    exhaustion(
      recorded.exhaustion6h,
      recorded.burn6h,
      "Seconds until the key runs out at the rate of the last six hours.",
    ),
    exhaustion(
      recorded.exhaustion1d,
      recorded.burn1d,
      "Seconds until the key runs out at the rate of the last day.",
    ),
    exhaustion(
      recorded.exhaustion3d,
      recorded.burn3d,
      "Seconds until the key runs out at the rate of the last three days.",
    ),
  ];
}

function exhaustion(series: Series, burn: Series, comment: string): RecordingRule {
  return record(series, comment, promql`clamp_min(${recorded.remaining}, 0) / (${burn} > 0)`);
}
