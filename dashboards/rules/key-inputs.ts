import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { type Series, promql, select } from "../promql.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** What is known of each key now, one series a key whatever processes told it, and how fast its credits burn. */
export function keyInputs({ timing }: Settings): RuleGroup {
  return {
    name: "aigateway-key-inputs",
    comment:
      "What is known of each key, whichever process told it. The limit, what is left and the reset come with one answer and go with it.",
    interval: timing.duration(60),
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
      "Whose the key is: one team per key, the one that is scraped now before one that was. Two would make every join with it fail.",
      promql`
        topk by (job, key) (1,
          max by (job, key, team) (2 * ${families.ownerInfo} or last_over_time(${families.ownerInfo}[${memory}]))
        ) ^ 0`,
    ),
    record(
      recorded.lastSuccess,
      "When the newest answer about the key was asked for. It tells time for the rates below and stands still while the gateway is down.",
      promql`max by (job, key) (last_over_time(${families.lastSuccess}[${memory}]))`,
    ),
    record(
      recorded.instanceFreshest,
      "The process with the newest answer speaks for the key: no sums over replicas, no figures of dead pods.",
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
      "All that ever counted toward the limit, own keys at providers included where they do. While the gateway is down the last figure stands, so that the rates go on where they stopped.",
      `${counted(families.usage, families.byokUsage)}\n${promql`or (${recorded.usage} and on (job, key) ${recorded.lastSuccess})`}`,
    ),
    record(
      recorded.usageDay,
      "The same since midnight UTC. Withheld until the memory holds nothing of yesterday.",
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
    "Seconds until the limit starts anew, infinite if it never does. Of a reset that is not known only the soonest is: the next midnight UTC.",
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
    "Credits that are left, unless the limit was reset since or nothing was heard for as long as the memory reaches.",
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
      "Credits a second over a quarter of an hour. Seconds are those between the answers, so that the jump after an outage is spread over it; corrections downwards count as nothing spent.",
    ),
    burn(recorded.burn1h, 3600, 600, "The same over an hour."),
    burn(recorded.burn6h, 6 * 3600, 3600, "The same over six hours."),
    burn(recorded.burn1d, 86_400, 6 * 3600, "The same over a day."),
    burn(recorded.burn3d, 3 * 86_400, 86_400, "The same over three days."),
  ];
}

function exhaustions(): readonly RecordingRule[] {
  return [
    exhaustion(
      recorded.exhaustion15m,
      recorded.burn15m,
      "Seconds that what is left lasts at the rate of the last quarter of an hour. No series where nothing is spent.",
    ),
    exhaustion(recorded.exhaustion1h, recorded.burn1h, "The same at the rate of the last hour."),
    exhaustion(recorded.exhaustion6h, recorded.burn6h, "The same at the rate of the last six hours."),
    exhaustion(recorded.exhaustion1d, recorded.burn1d, "The same at the rate of the last day."),
    exhaustion(recorded.exhaustion3d, recorded.burn3d, "The same at the rate of the last three days."),
  ];
}

function exhaustion(series: Series, burn: Series, comment: string): RecordingRule {
  return record(series, comment, promql`clamp_min(${recorded.remaining}, 0) / (${burn} > 0)`);
}
