import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { type Series, promql, select } from "../promql.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import type { Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";
import { HOUR, MINUTE } from "../thresholds.ts";

/** The current values and burn rates of each key: one series per key, however many processes report it. */
export function keyInputs({ timing }: Settings): RuleGroup {
  return {
    name: "aigateway-key-inputs",
    comment:
      "The current values of each key, whichever process reports them. The limit, the remaining credits and the reset come from the same answer and disappear together.",
    interval: timing.urgentInterval,
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
      "Team of the key. One series per key, because a join fails if there are two. A series that is scraped now is preferred to a remembered one.",
      promql`
        topk by (job, gateway, key) (1,
          max by (job, gateway, key, team) (2 * ${families.ownerInfo} or last_over_time(${families.ownerInfo}[${memory}]))
        ) ^ 0`,
    ),
    record(
      recorded.lastSuccess,
      "When the newest answer for the key was requested. The rates below measure time with it, so their time stops while the gateway is down.",
      promql`max by (job, gateway, key) (last_over_time(${families.lastSuccess}[${memory}]))`,
    ),
    record(
      recorded.instanceFreshest,
      "The process with the newest answer for the key. Only its figures count: no sums over replicas, no figures of terminated pods.",
      // `>=`, not `==`: in vmalert, a rule reads what its own group records only at the next evaluation. To record the
      // older processes would cost less, but Grafana finds a series after its end, so processes that are the newest in
      // turns would never count.
      promql`
        last_over_time(${families.lastSuccess}[${memory}])
        >= on (job, gateway, key) group_left () ${recorded.lastSuccess}`,
    ),
  ];
}

/**
 * Usage that counts toward the limit, own provider keys included if they count; from the process with the
 * newest answer.
 */
export function usageOfLimit({ memory }: Timing, own: Series, byok: Series): string {
  return promql`
    max by (job, gateway, key) (
      (
        last_over_time(${own}[${memory}])
          + (last_over_time(${byok}[${memory}]) and last_over_time(${families.byokInLimit}[${memory}]) == 1)
        or last_over_time(${own}[${memory}])
      )
      and on (job, gateway, instance, key) ${recorded.instanceFreshest}
    )`;
}

function amounts(timing: Timing): readonly RecordingRule[] {
  const { memory, memorySeconds, now } = timing;
  return [
    record(
      recorded.usage,
      "All usage that counts toward the limit, including own provider keys if they count. The last figure is kept while the gateway is down, so that the rates continue where they stopped.",
      `${usageOfLimit(timing, families.usage, families.byokUsage)}\n${promql`or (${recorded.usage} and on (job, gateway, key) ${recorded.lastSuccess} <= ${now} - ${memorySeconds})`}`,
    ),
    record(
      recorded.limit,
      "The credit limit.",
      promql`
        max by (job, gateway, key) (
          last_over_time(${families.limit}[${memory}])
          and on (job, gateway, instance, key) ${recorded.instanceFreshest}
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
      max by (job, gateway, key) (
        (
          last_over_time(${families.nextReset}[${memory}]) - ${now}
          or on (job, gateway, instance, key) (last_over_time(${never}[${memory}]) == 1) * Inf
        )
        and on (job, gateway, instance, key) ${recorded.instanceFreshest}
      )
      or ${recorded.limit} * 0 + (86400 - ${now} % 86400)`,
  );
}

function remaining({ memory, memorySeconds, now }: Timing): RecordingRule {
  return record(
    recorded.remaining,
    "Credits left. Absent if the limit has reset since the last answer, if no answer arrived within the look-back, or if the key is disabled, because then nothing can be spent.",
    promql`
      max by (job, gateway, key) (
        last_over_time(${families.remaining}[${memory}])
        and on (job, gateway, instance, key) ${recorded.instanceFreshest}
        unless on (job, gateway, instance, key) last_over_time(${discoveryFamilies.disabled}[${memory}]) == 1
      )
      and on (job, gateway, key) ${recorded.resetSeconds} > 0
      and on (job, gateway, key) ${recorded.lastSuccess} > ${now} - ${memorySeconds}`,
  );
}

/**
 * Creates the rule that records the rate over a window. The rate is absent if the answers of the window span
 * less than `measured` seconds.
 */
export function burn(
  timing: Timing,
  series: Series,
  window: number,
  measured: number,
  comment: string,
): RecordingRule {
  const { usage, lastSuccess } = recorded;
  const ago = timing.duration(window);
  const before = (of: Series) => promql`${of} offset ${ago}`;
  return record(series, comment, burnSince(timing, before(usage), before(lastSuccess), measured));
}

/** The rate since an earlier answer, given the usage in it and when it was requested. */
export function burnSince(timing: Timing, usage: string, requested: string, measured: number): string {
  return promql`
    clamp_min(${recorded.usage} - ${usage}, 0)
    / (${recorded.lastSuccess} - ${requested} >= ${timing.seconds(measured)})`;
}

function burns(timing: Timing): readonly RecordingRule[] {
  return [
    burn(
      timing,
      recorded.burn15m,
      timing.burnWindow,
      timing.burnWindow / 3,
      "Credits per second over 15 minutes. The divisor is the time between the answers, so that the jump after an outage is spread over the outage. Downward corrections count as zero.",
    ),
    burn(timing, recorded.burn1h, HOUR, 10 * MINUTE, "Credits per second over an hour."),
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
  ];
}

/** Creates the rule that records in how many seconds the remaining credits are used up at a rate. */
export function exhaustion(series: Series, rate: Series | string, comment: string): RecordingRule {
  return record(series, comment, promql`clamp_min(${recorded.remaining}, 0) / (${rate} > 0)`);
}
