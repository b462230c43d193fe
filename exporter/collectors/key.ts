import type { Config, KeyConfig } from "../config/config.ts";
import { identityOf } from "../secrets/secret.ts";
import { decimalSum } from "../metrics/decimal-sum.ts";
import { type Family, type Sample, sample, seconds } from "../metrics/family.ts";
import type { KeyReading, ReadingValue } from "../readings/reading.ts";
import { targetId } from "../readings/target-id.ts";
import type { Job } from "../schedule/job.ts";
import { type Window, WINDOW_KINDS, windowAt } from "../time/window.ts";
import { type Collector, type CollectorContext, createCollectorContext } from "./collector.ts";
import { keyFamilies as families, layerFamilies, sharedLimitFamilies } from "./key-families.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { LIMIT_SOURCES, type LimitedKey, lowerLimit, mirroredLayer } from "../keys/mirrored-limit.ts";
import { isPlain, layerSamples, layersOf, windowOfLimit, balanceOf } from "./key-layers.ts";
import { LIMIT_RESETS, type KeyInformation, type Spend } from "../gateway/account.ts";

/** Limits, usage and state of each configured key, with one request per key and run. */
export const keyCollector: Collector = {
  name: "key",
  schedule: "keys",
  families: [families, layerFamilies, sharedLimitFamilies].flatMap((group) => Object.values<Family>(group)),
  lastSuccess: families.lastSuccess,
  jobs: ({ gateway, keys }, context = createCollectorContext()) =>
    keys.map((key) => keyJob(key, gateway, context)),
};

function keyJob(config: KeyConfig, { baseUrl }: Config["gateway"], context: CollectorContext): Job {
  const key = config.name;
  const id = targetId("key", key);
  const { team, project, costCenter } = config.owner;
  return {
    id,
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
    run: async (client, requestedAtMs) => {
      const reported = await client.currentKey(config.secret);
      const limited = lowerLimit(reported, config.limit);
      const { information } = limited;
      const mirrored = config.limit && mirroredLayer(reported, config.limit);
      const layers = layersOf(reported, mirrored, requestedAtMs);
      context.pooledLimits.add(id, layers, requestedAtMs);
      const hash = config.secret.hash?.();
      const replaced = rotation(context.readings.latest(id)?.value, hash, requestedAtMs);
      const isConcealed = config.showLabel && shownLabel(labelOf(information)) !== labelOf(information);
      return {
        value: {
          ...keyReading(information, requestedAtMs, {
            shownAs: { name: key, team, hash },
            isLimitMirrored: limited.source === "mirrored",
            layers,
          }),
          ...replaced,
        },
        samples: [
          ...keySamples(config, information, requestedAtMs),
          ...sample(families.secretReplaced, { key }, seconds(replaced.rotatedMs)),
          ...limitSourceSamples(key, limited),
          ...layerSamples(key, layers, balanceOf(context.readings)),
        ],
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

/** Since when the key has its present secret, if it had another one before. */
function rotation(
  before: ReadingValue | undefined,
  hash: string | undefined,
  nowMs: number,
): Pick<KeyReading, "rotatedMs"> {
  if (before?.kind !== "key") return {};
  const { shownAs, rotatedMs } = before;
  if (shownAs?.hash !== undefined && shownAs.hash !== hash) return { rotatedMs: nowMs };
  return rotatedMs === undefined ? {} : { rotatedMs };
}

function labelOf({ label }: KeyInformation): string {
  return labelText(label ?? "");
}

/** The reading of a key, from the answer to a request that was sent at the instant. */
export function keyReading(
  information: KeyInformation,
  requestedAtMs: number,
  { shownAs, isLimitMirrored = false, layers = [] }: KeyReadingParts = {},
): KeyReading {
  const { limitCredits, limitReset, remainingCredits, usage, byokUsage, expiresAtMs, byokInLimit } =
    information;
  return {
    kind: "key",
    limitCredits,
    limitReset,
    remainingCredits,
    usage,
    expiresAtMs,
    limitWindow: windowOfLimit(limitReset, undefined, requestedAtMs),
    ...(isLimitMirrored && { isLimitMirrored }),
    ...(!isPlain(layers) && { layers }),
    ...(byokInLimit === true && { limitUsage: limitUsage(information) }),
    ...(Object.values(byokUsage).some(Boolean) && { byokUsage }),
    ...(shownAs && { shownAs }),
  };
}

type KeyReadingParts = Partial<Pick<KeyReading, "shownAs" | "isLimitMirrored" | "layers">>;

function limitUsage({ usage, byokUsage }: KeyInformation): Spend {
  return {
    total: both(usage.total, byokUsage.total),
    day: both(usage.day, byokUsage.day),
    week: both(usage.week, byokUsage.week),
    month: both(usage.month, byokUsage.month),
  };
}

function both(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : decimalSum([one, other]);
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
  requestedAtMs: number,
): readonly Sample[] {
  const key = config.name;
  const { usage, byokUsage, freeRequests } = information;
  const [day, week, month] = WINDOW_KINDS.map((kind) => windowAt(kind, requestedAtMs));
  const gauge = (family: Family<"key">, value: number | boolean | undefined, window?: Window) =>
    sample(family, { key }, value, window);
  return [
    ...(config.showLabel ? sample(families.info, { key, label: shownLabel(labelOf(information)) }, 1) : []),
    ...limitSamples(key, information, requestedAtMs),
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
  { limitCredits, limitReset, remainingCredits, layers = [] }: KeyInformation,
  requestedAtMs: number,
): readonly Sample[] {
  const window = windowOfLimit(limitReset, undefined, requestedAtMs);
  const hasNoLimit = limitCredits === undefined ? undefined : limitCredits === null;
  const states = limitReset === undefined ? [] : LIMIT_RESETS;
  const reset = hasNoLimit || limitReset === undefined || limitReset === "other" ? undefined : window;
  return [
    ...sample(families.unlimited, { key }, hasNoLimit && layers.length === 0),
    ...sample(families.limit, { key }, limitCredits),
    ...(hasNoLimit ? [] : sample(families.remaining, { key }, remainingCredits, window)),
    ...states.flatMap((state) =>
      sample(families.limitReset, { key, aigateway_key_limit_reset: state }, state === limitReset),
    ),
    ...sample(families.nextReset, { key }, seconds(reset?.endMs), reset),
    ...sample(families.windowStart, { key }, seconds(reset?.startMs), reset),
  ];
}
