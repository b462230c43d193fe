import { type BudgetLayer, type LimitReset, SHARED_SCOPES } from "../gateway/budget-layer.ts";
import type { KeyInformation } from "../gateway/key-information.ts";
import { type Sample, sample, seconds } from "../metrics/family.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import type { KeyLayer } from "../readings/reading.ts";
import { type Window, windowAt } from "../time/window.ts";
import { layerFamilies as families } from "./layer-families.ts";

/**
 * Everything that bounds a key: its own limit, the one that the configuration mirrors, and the budgets around it. Just
 * its own limit for services that send no budgets.
 */
export function layersOf(
  information: KeyInformation,
  mirrored: Omit<BudgetLayer, "scope" | "id"> | undefined,
  requestedAtMs: number,
): readonly KeyLayer[] {
  const { layers = [] } = information;
  const isOwnSent = layers.some(({ scope }) => scope === "key_limit");
  const all = [...layers, ...(isOwnSent ? [] : ownLimit(information))].map((layer) =>
    keyLayer(layer, requestedAtMs),
  );
  return mirrored
    ? [...all, keyLayer({ ...mirrored, scope: "mirrored", id: undefined }, requestedAtMs)]
    : all;
}

/** The samples of the layers of one key, unless its own limit is the only one, and of what it can still spend. */
export function layerSamples(
  key: string,
  layers: readonly KeyLayer[],
  balanceCredits: number | undefined,
): readonly Sample[] {
  return [
    ...(isPlain(layers) ? [] : layers.flatMap((layer) => samplesOf(key, layer))),
    ...spendable(key, layers, balanceCredits),
  ];
}

/** Whether the key's own limit is the only one, if it has any. */
export function isPlain(layers: readonly KeyLayer[]): boolean {
  return layers.every(({ source }) => source === "key_limit");
}

function samplesOf(key: string, layer: KeyLayer): readonly Sample[] {
  const { source, sharedId, window } = layer;
  if (sharedId !== undefined) return sample(families.sharedInfo, { key, source, id: sharedId }, 1);
  const labels = { key, source };
  return [
    ...sample(families.limit, labels, layer.limitCredits, window),
    ...sample(families.spent, labels, layer.spentCredits, window),
    ...sample(families.remaining, labels, layer.remainingCredits, window),
    ...sample(families.nextReset, labels, seconds(layer.nextResetMs), window),
  ];
}

/** Nothing if what is left of one bound is unknown, because that may be the least. */
function spendable(
  key: string,
  layers: readonly KeyLayer[],
  balanceCredits: number | undefined,
): readonly Sample[] {
  const bounds = layers.map(({ source, remainingCredits, window }) => ({ source, remainingCredits, window }));
  if (balanceCredits !== undefined)
    bounds.push({ source: "account", remainingCredits: balanceCredits, window: undefined });
  const known = bounds.filter((bound) => bound.remainingCredits !== undefined);
  const [least] = known.toSorted(
    (one, other) => Number(one.remainingCredits) - Number(other.remainingCredits),
  );
  if (!least || known.length < bounds.length) return [];
  return sample(families.spendable, { key, bounded_by: least.source }, least.remainingCredits, least.window);
}

function keyLayer(
  { scope, id, reset, resetsAtMs, ...amounts }: BudgetLayer,
  requestedAtMs: number,
): KeyLayer {
  const window = layerWindow(reset, resetsAtMs, requestedAtMs);
  return {
    ...amounts,
    source: label(scope),
    ...(SHARED_SCOPES.has(scope) && { sharedId: label(id ?? "") }),
    window,
    nextResetMs: resetsAtMs ?? (reset && CALENDAR[reset] && window?.endMs),
  };
}

/**
 * The window that the amounts belong to; undefined: the layer never resets. The service's own instant wins over the
 * calendar, and an unknown reset may happen at any 00:00 UTC.
 */
function layerWindow(
  reset: LimitReset | undefined,
  resetsAtMs: number | undefined,
  requestedAtMs: number,
): Window | undefined {
  if (reset === "never" && resetsAtMs === undefined) return undefined;
  const calendar = windowAt((reset && CALENDAR[reset]) ?? "day", requestedAtMs);
  return resetsAtMs === undefined
    ? calendar
    : { startMs: Math.min(calendar.startMs, resetsAtMs), endMs: resetsAtMs };
}

const CALENDAR: Partial<Record<LimitReset, "day" | "week" | "month">> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
};

function ownLimit(information: KeyInformation): readonly BudgetLayer[] {
  const { limitCredits, limitReset, remainingCredits, byokInLimit } = information;
  if (limitCredits === null || (limitCredits ?? remainingCredits ?? undefined) === undefined) return [];
  return [
    {
      scope: "key_limit",
      limitCredits,
      spentCredits: undefined,
      remainingCredits: remainingCredits ?? undefined,
      reset: limitReset,
      resetsAtMs: undefined,
      includesByok: byokInLimit,
      id: undefined,
    },
  ];
}

function label(text: string): string {
  return shownLabel(labelText(text));
}
