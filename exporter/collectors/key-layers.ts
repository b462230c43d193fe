import { type Family, type Sample, sample, seconds } from "../metrics/family.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { type KeyLayer, WINDOW_OF_RESET } from "../readings/reading.ts";
import { type Window, windowAt, contains, isSettled } from "../time/window.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import { CREDITS, type TargetId } from "../readings/target-id.ts";
import type { TargetReadings } from "../keys/watched-keys.ts";
import { type BudgetLayer, type LimitReset, SHARED_SCOPES, type KeyInformation } from "../gateway/account.ts";
import { layerFamilies as families, sharedLimitFamilies } from "./key-families.ts";
import type { ReadingSource } from "../readings/readings.ts";
import type { Clock } from "../time/clock.ts";

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
  const { source, sharedId } = layer;
  return sharedId === undefined
    ? amountSamples(families, { key, source }, layer)
    : sample(families.sharedInfo, { key, source, id: sharedId }, 1);
}

function amountSamples<Label extends string>(
  of: Readonly<Record<"limit" | "spent" | "remaining" | "nextReset", Family<Label>>>,
  labels: Readonly<Record<Label, string>>,
  { limitCredits, spentCredits, remainingCredits, nextResetMs, window }: KeyLayer,
): readonly Sample[] {
  return [
    ...sample(of.limit, labels, limitCredits, window),
    ...sample(of.spent, labels, spentCredits, window),
    ...sample(of.remaining, labels, remainingCredits, window),
    ...sample(of.nextReset, labels, seconds(nextResetMs), window),
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
  const window = windowOfLimit(reset, resetsAtMs, requestedAtMs);
  return {
    ...amounts,
    source: label(scope),
    ...(SHARED_SCOPES.has(scope) && { sharedId: label(id ?? "") }),
    window,
    nextResetMs: resetsAtMs ?? (reset && WINDOW_OF_RESET[reset] && window?.endMs),
  };
}

/**
 * The window that the amounts belong to; undefined: the layer never resets. The service's own instant wins over the
 * calendar, and an unknown reset may happen at any 00:00 UTC.
 */
export function windowOfLimit(
  reset: LimitReset | undefined,
  resetsAtMs: number | undefined,
  requestedAtMs: number,
): Window | undefined {
  if (reset === "never" && resetsAtMs === undefined) return undefined;
  const calendar = windowAt((reset && WINDOW_OF_RESET[reset]) ?? "day", requestedAtMs);
  return resetsAtMs === undefined
    ? calendar
    : { startMs: Math.min(calendar.startMs, resetsAtMs), endMs: resetsAtMs };
}

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

/**
 * The account's balance in credits, if it bounds what keys can spend. Undefined: it is not known or too old, or the account is billed
 * otherwise because it has bought nothing, or it buys credits by itself before they run out.
 */
export function balanceOf(readings: TargetReadings): number | undefined {
  const value = readings.isCurrent(CREDITS) ? readings.latest(CREDITS)?.value : undefined;
  if (value?.kind !== "credits" || value.boughtCredits <= 0) return undefined;
  const balance = decimalRest(value.boughtCredits, [value.usedCredits]);
  return value.topUp && balance >= value.topUp.below ? undefined : balance;
}

/**
 * The budgets that several keys share, each as the newest answer about one of its keys shows it: one series for each
 * budget, not for each key.
 */
export interface PooledLimits {
  /** Takes the shared layers of an answer. */
  add(target: TargetId, layers: readonly KeyLayer[], requestedAtMs: number): void;
  /** What may be shown now. */
  readonly samples: () => readonly Sample[];
}

export function createPooledLimits(
  readings: Pick<ReadingSource, "isCurrent">,
  clock: Pick<Clock, "now">,
): PooledLimits {
  const newest = new Map<string, Shared>();
  return {
    add: (target, layers, requestedAtMs) => {
      for (const layer of layers)
        if (layer.sharedId !== undefined)
          newest.set(JSON.stringify([layer.source, layer.sharedId]), { layer, target, requestedAtMs });
    },
    samples: () => {
      for (const [id, { target }] of newest) if (!readings.isCurrent(target)) newest.delete(id);
      return [...newest.values()].flatMap((shared) => sharedSamples(shared, clock.now()));
    },
  };
}

interface Shared {
  readonly layer: KeyLayer;
  /** The key whose answer it is; it is shown as long as that. */
  readonly target: TargetId;
  readonly requestedAtMs: number;
}

function sharedSamples({ layer, requestedAtMs }: Shared, nowMs: number): readonly Sample[] {
  const { source, sharedId: id = "", window } = layer;
  if (window && !(contains(window, nowMs) && isSettled(window, requestedAtMs))) return [];
  return amountSamples(sharedLimitFamilies, { source, id }, layer);
}
