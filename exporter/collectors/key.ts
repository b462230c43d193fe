import type { Config, KeyConfig } from "../config/config.ts";
import { identityOf } from "../config/secret.ts";
import { type KeyInformation, LIMIT_RESETS, type LimitReset } from "../gateway/key-information.ts";
import { type Family, type Sample, sample, seconds } from "../metrics/family.ts";
import type { KeyReading } from "../readings/reading.ts";
import { targetId } from "../readings/target-id.ts";
import type { Job } from "../schedule/job.ts";
import { type Window, WINDOW_KINDS, windowAt } from "../time/window.ts";
import type { Collector } from "./collector.ts";
import { keyFamilies as families } from "./key-families.ts";
import { labelText, shownLabel } from "./label-text.ts";
import { LIMIT_SOURCES, type LimitedKey, lowerLimit } from "./mirrored-limit.ts";

/** Limits, usage and state of each configured key, with one request per key and run. */
export const keyCollector: Collector = {
  name: "key",
  schedule: "keys",
  families: Object.values(families),
  lastSuccess: families.lastSuccess,
  jobs: ({ gateway, keys }) => keys.map((key) => keyJob(key, gateway)),
};

function keyJob(config: KeyConfig, { baseUrl }: Config["gateway"]): Job {
  const key = config.name;
  const { team, project, costCenter } = config.owner;
  return {
    id: targetId("key", key),
    title: `key "${key}"`,
    name: key,
    endpoint: "key",
    requests: 1,
    minIntervalMs: 0,
    identity: JSON.stringify([baseUrl, identityOf(config.secret)]),
    fingerprint: JSON.stringify([config.owner, config.showLabel, config.limit]),
    isRevealing: config.showLabel,
    constants: [
      ...sample(families.ownerInfo, { key, team, project, cost_center: costCenter }, 1),
      ...(config.showLabel ? [] : sample(families.info, { key, label: "" }, 1)),
    ],
    run: async (client, askedAtMs) => {
      const limited = lowerLimit(await client.currentKey(config.secret), config.limit);
      const { information } = limited;
      const isConcealed = config.showLabel && shownLabel(labelOf(information)) !== labelOf(information);
      return {
        value: keyReading(information, askedAtMs, limited.source === "mirrored"),
        samples: [...keySamples(config, information, askedAtMs), ...limitSourceSamples(key, limited)],
        concealedLabels: Number(isConcealed),
        warning: isConcealed ? "its label reveals a secret and is shown as _concealed" : undefined,
      };
    },
    describe: (state) => [
      ...sample(families.up, { key }, state.up),
      ...sample(families.unauthorized, { key }, state.unauthorized),
      ...sample(families.lastSuccess, { key }, seconds(state.lastSuccessMs)),
    ],
  };
}

function labelOf({ label }: KeyInformation): string {
  return labelText(label ?? "");
}

/** The reading of a key, from the answer to a request that was sent at the instant. */
export function keyReading(
  information: KeyInformation,
  askedAtMs: number,
  isLimitMirrored = false,
): KeyReading {
  const { limitCredits, limitReset, remainingCredits, usage, expiresAtMs } = information;
  return {
    kind: "key",
    limitCredits,
    limitReset,
    remainingCredits,
    usage,
    expiresAtMs,
    limitWindow: limitWindow(limitReset, askedAtMs),
    ...(isLimitMirrored && { isLimitMirrored }),
  };
}

/** The state set of the limit's source; empty if the configuration mirrors no limit. */
export function limitSourceSamples(key: string, { source }: LimitedKey): readonly Sample[] {
  if (source === undefined) return [];
  return LIMIT_SOURCES.flatMap((state) =>
    sample(families.limitSource, { key, aigateway_key_limit_source: state }, state === source),
  );
}

/** An answer as samples; an unknown value has none, because absent, zero and unlimited are three different answers. */
export function keySamples(
  config: Pick<KeyConfig, "name" | "showLabel">,
  information: KeyInformation,
  askedAtMs: number,
): readonly Sample[] {
  const key = config.name;
  const { usage, byokUsage, freeRequests } = information;
  const [day, week, month] = WINDOW_KINDS.map((kind) => windowAt(kind, askedAtMs));
  const gauge = (family: Family<"key">, value: number | boolean | undefined, window?: Window) =>
    sample(family, { key }, value, window);
  return [
    ...(config.showLabel ? sample(families.info, { key, label: shownLabel(labelOf(information)) }, 1) : []),
    ...limitSamples(key, information, askedAtMs),
    ...gauge(families.usage, usage.total),
    ...gauge(families.usageDay, usage.day, day),
    ...gauge(families.usageWeek, usage.week, week),
    ...gauge(families.usageMonth, usage.month, month),
    ...gauge(families.byokUsage, byokUsage.total),
    ...gauge(families.byokUsageDay, byokUsage.day, day),
    ...gauge(families.byokUsageWeek, byokUsage.week, week),
    ...gauge(families.byokUsageMonth, byokUsage.month, month),
    ...gauge(families.byokInLimit, information.byokInLimit),
    ...gauge(families.freeTier, information.freeTier),
    ...gauge(families.expiry, seconds(information.expiresAtMs)),
    ...gauge(families.freeRequestsLimit, freeRequests.limit, day),
    ...gauge(families.freeRequestsUsed, freeRequests.used, day),
    ...gauge(families.freeRequestsRemaining, freeRequests.remaining, day),
  ];
}

function limitSamples(
  key: string,
  { limitCredits, limitReset, remainingCredits }: KeyInformation,
  askedAtMs: number,
): readonly Sample[] {
  const window = limitWindow(limitReset, askedAtMs);
  const unlimited = limitCredits === undefined ? undefined : limitCredits === null;
  const states = limitReset === undefined ? [] : LIMIT_RESETS;
  const reset = unlimited || limitReset === undefined || limitReset === "other" ? undefined : window;
  return [
    ...sample(families.unlimited, { key }, unlimited),
    ...sample(families.limit, { key }, limitCredits),
    ...(unlimited ? [] : sample(families.remaining, { key }, remainingCredits, window)),
    ...states.flatMap((state) =>
      sample(families.limitReset, { key, aigateway_key_limit_reset: state }, state === limitReset),
    ),
    ...sample(families.nextReset, { key }, seconds(reset?.endMs), reset),
    ...sample(families.windowStart, { key }, seconds(reset?.startMs), reset),
  ];
}

/**
 * The window that the remaining credits belong to. An unknown reset may happen at any 00:00 UTC, so the
 * remaining credits are valid until the next one only.
 */
function limitWindow(reset: LimitReset | undefined, askedAtMs: number): Window | undefined {
  switch (reset) {
    case "never":
      return undefined;
    case "weekly":
      return windowAt("week", askedAtMs);
    case "monthly":
      return windowAt("month", askedAtMs);
    case "daily":
    case "other":
    case undefined:
      return windowAt("day", askedAtMs);
  }
}
