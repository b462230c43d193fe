import { BUCKET_MS, DAY_MS } from "../time/window.ts";
import type { KeyLayer } from "../readings/reading.ts";
import { type Danger, type KeyRow, URGENCIES, type Urgency } from "./target-rows.ts";

/** What stops a key, or will first. A disabled key is meant to be stopped. */
export function dangerOf(key: KeyRow, nowMs: number): Danger | undefined {
  const { isDisabled, isListed, state, failure, expiryMs = Infinity } = key;
  if (isDisabled === true) return undefined;
  const isRefused = state === "down" && failure?.reason === "unauthorized" && isListed !== true;
  if (isRefused) return { urgency: "stopped", why: "refused" };
  if (expiryMs <= nowMs) return { urgency: "stopped", why: "expired", atMs: expiryMs };
  const usedUp = usedUpOf(key);
  if (usedUp) return usedUp;
  const runsOut = runningOut(key.forecast, nowMs);
  const others = [runsOut && { ...runsOut, shared: sharedBy(key) }, expiring(expiryMs, nowMs), scarce(key)];
  return others.reduce((first, other) => (byUrgency(other, first) < 0 ? other : first));
}

/** The most urgent first, then what comes first; no danger comes last. */
export function byUrgency(one: Danger | undefined, other: Danger | undefined): number {
  return rankOf(one) - rankOf(other) || (one?.atMs ?? Number.MAX_VALUE) - (other?.atMs ?? Number.MAX_VALUE);
}

function rankOf(danger: Danger | undefined): number {
  return danger ? URGENCIES.indexOf(danger.urgency) : URGENCIES.length;
}

/** When a limit or a balance is used up before its reset, if the forecast announces that. */
export function runningOut(forecast: KeyRow["forecast"], nowMs: number): Danger | undefined {
  const { outlook, exhaustionMs: atMs } = forecast ?? {};
  if (atMs === undefined || outlook === "exhausted") return undefined;
  return { urgency: urgencyIn(atMs - nowMs), why: "runs-out", atMs };
}

function expiring(atMs: number, nowMs: number): Danger | undefined {
  const leftMs = atMs - nowMs;
  return leftMs > 7 * DAY_MS ? undefined : { urgency: urgencyIn(leftMs), why: "expires", atMs };
}

function urgencyIn(leftMs: number): Urgency {
  return leftMs > DAY_MS ? "week" : leftMs > BUCKET_MS.hour ? "day" : "hour";
}

/** A key with at most this share of its limit left is in danger while no forecast tells how long that lasts. */
const SCARCE_SHARE = 0.03;

function scarce(key: KeyRow): Danger | undefined {
  const { outlook = "unknown" } = key.forecast ?? {};
  const isJudged = outlook !== "unknown" && outlook !== "learning";
  return !isJudged && isAtLeast(usedShare(key) ?? 0, 1 - SCARCE_SHARE)
    ? { urgency: "week", why: "scarce" }
    : undefined;
}

/** Whether a share, which is a binary fraction, reaches another one. */
export function isAtLeast(share: number, least: number): boolean {
  return share >= least - 1e-9;
}

/** The used share of a key's limit; undefined if the key has no limit or the share is unknown. */
export function usedShare({ limit, remaining }: KeyRow): number | undefined {
  if (typeof limit !== "number" || remaining === undefined) return undefined;
  return limit > 0 ? (limit - remaining) / limit : remaining > 0 ? undefined : 1;
}

/** Nothing is left of the limit or of a budget around it, or so little that no call succeeds. */
function usedUpOf(key: KeyRow): Danger | undefined {
  const { limit, remaining, forecast } = key;
  const [isEmpty, layer] = [typeof limit === "number" && (remaining ?? 1) <= 0, nearestLayer(key)];
  const usedUp = { urgency: "stopped", why: "used-up" } as const;
  if (isEmpty && !layer) return usedUp;
  if (layer && leftOf(layer) <= 0) return { ...usedUp, shared: layer.sharedId };
  return forecast?.outlook === "exhausted" ? { ...usedUp, shared: sharedBy(key) } : undefined;
}

/** What bounds the forecast of the key and other keys. */
function sharedBy({ forecast, layers = [] }: KeyRow): string | undefined {
  const { source, isShared } = forecast ?? {};
  if (!isShared || source === "account") return isShared && source;
  return layers.find((layer) => layer.source === source)?.sharedId;
}

/** Whether it is the limit of the key itself, its own or the mirrored one, that ends first. */
export function isOwn({ forecast }: Pick<KeyRow, "forecast">): boolean {
  return ["key_limit", "mirrored"].includes(forecast?.source ?? "key_limit");
}

/** The budget around the key that leaves the least, if it leaves less than the key's own limit. */
export function nearestLayer({ layers, remaining = Infinity }: KeyRow): KeyLayer | undefined {
  if (!layers) return undefined;
  const [nearest] = layers.toSorted((one, other) => leftOf(one) - leftOf(other));
  return nearest && leftOf(nearest) < remaining ? nearest : undefined;
}

function leftOf({ remainingCredits = Infinity }: KeyLayer): number {
  return remainingCredits;
}
