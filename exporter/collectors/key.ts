import type { KeyConfig } from "../config/config.ts";
import { identityOf } from "../config/secret.ts";
import { type KeyInformation, LIMIT_RESETS, type LimitReset } from "../gateway/key.ts";
import { type Family, type Sample, sample } from "../metrics/family.ts";
import { type Window, WINDOW_KINDS, windowAt } from "../time/window.ts";
import type { Collector, Target, WindowSpend } from "./collector.ts";
import { keyFamilies as families } from "./key-families.ts";
import { labelText } from "./label-text.ts";

/** Limits, usage and state of each configured key: `GET /key`, one request for each key and poll. */
export const keyCollector: Collector = {
  name: "key",
  endpoint: "key",
  schedule: "keys",
  requestsPerPoll: 1,
  families: Object.values(families),
  lastSuccess: families.lastSuccess,
  targets: (config) => config.keys.map(keyTarget),
};

function keyTarget(config: KeyConfig): Target {
  const key = config.name;
  const { team, project, costCenter } = config.owner;
  return {
    id: `key/${key}`,
    title: `key "${key}"`,
    minIntervalMs: 0,
    fingerprint: JSON.stringify([identityOf(config.secret), config.owner, config.showLabel]),
    constants: [
      ...sample(families.ownerInfo, { key, team, project, cost_center: costCenter }, 1),
      ...(config.showLabel ? [] : sample(families.info, { key, label: "" }, 1)),
    ],
    poll: async (gateway, askedAtMs, signal) => {
      const information = await gateway.readKey(key, config.secret, signal);
      return {
        samples: keySamples(config, information, askedAtMs),
        spend: keySpend(information, askedAtMs),
      };
    },
    describe: (state) => [
      ...sample(families.up, { key }, flag(state.up)),
      ...sample(families.unauthorized, { key }, flag(state.unauthorized)),
      ...sample(families.lastSuccess, { key }, seconds(state.lastSuccessMs)),
    ],
  };
}

/** An answer about a key as samples; what it does not tell has none (design: absent, zero and unlimited differ). */
export function keySamples(
  config: Pick<KeyConfig, "name" | "showLabel">,
  information: KeyInformation,
  askedAtMs: number,
): readonly Sample[] {
  const key = config.name;
  const [day, week, month] = [
    windowAt("day", askedAtMs),
    windowAt("week", askedAtMs),
    windowAt("month", askedAtMs),
  ];
  const { usage, byokUsage, freeRequests } = information;
  const gauge = (family: Family<"key">, value: number | null | undefined, window?: Window) =>
    sample(family, { key }, value, window);
  return [
    ...(config.showLabel ? sample(families.info, { key, label: labelText(information.label ?? "") }, 1) : []),
    ...limitSamples(key, information, askedAtMs),
    ...gauge(families.usage, usage.total),
    ...gauge(families.usageDay, usage.day, day),
    ...gauge(families.usageWeek, usage.week, week),
    ...gauge(families.usageMonth, usage.month, month),
    ...gauge(families.byokUsage, byokUsage.total),
    ...gauge(families.byokUsageDay, byokUsage.day, day),
    ...gauge(families.byokUsageWeek, byokUsage.week, week),
    ...gauge(families.byokUsageMonth, byokUsage.month, month),
    ...gauge(families.byokInLimit, flag(information.byokInLimit)),
    ...gauge(families.freeTier, flag(information.freeTier)),
    ...gauge(families.expiry, seconds(information.expiresAtMs)),
    ...gauge(families.freeRequestsLimit, freeRequests.limit, day),
    ...gauge(families.freeRequestsUsed, freeRequests.used, day),
    ...gauge(families.freeRequestsRemaining, freeRequests.remaining, day),
  ];
}

/** Credits that the key used; what it used with keys of your own at a provider (`byok_usage`) is not in it. */
export function keySpend({ usage }: KeyInformation, askedAtMs: number): readonly WindowSpend[] {
  return WINDOW_KINDS.map((kind) => ({ window: windowAt(kind, askedAtMs), credits: usage[kind] }));
}

function limitSamples(key: string, information: KeyInformation, askedAtMs: number): readonly Sample[] {
  const { limitCredits, limitReset, remainingCredits } = information;
  const window = limitWindow(limitReset, askedAtMs);
  const unlimited = limitCredits === undefined ? undefined : limitCredits === null;
  const states = limitReset === undefined ? [] : LIMIT_RESETS;
  const reset = unlimited || limitReset === undefined || limitReset === "other" ? undefined : window;
  return [
    ...sample(families.unlimited, { key }, flag(unlimited)),
    ...sample(families.limit, { key }, limitCredits),
    ...(unlimited ? [] : sample(families.remaining, { key }, remainingCredits, window)),
    ...states.flatMap((state) =>
      sample(families.limitReset, { key, aigateway_key_limit_reset: state }, flag(state === limitReset)),
    ),
    ...sample(families.nextReset, { key }, seconds(reset?.endMs), reset),
    ...sample(families.windowStart, { key }, seconds(reset?.startMs), reset),
  ];
}

/**
 * The window that the remaining credits belong to. A reset that is not known may be at any 00:00 UTC, so what is left
 * is believed until the next one only.
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

function flag(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
