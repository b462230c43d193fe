import { type Window, WINDOW_KINDS, type WindowKind, windowAt } from "../time/window.ts";
import type { KeyRow } from "./target-rows.ts";

/** When a key will have used up its limit at its present rate: an estimate. */
export interface Forecast {
  /** Credits; more than 0. */
  readonly perHour: number;
  readonly exhaustedMs: number;
  /** What will be left at the reset; undefined: the key runs out before, or there is no known reset. */
  readonly leftAtReset: number | undefined;
}

const HOUR_MS = 3_600_000;

/**
 * The rate is the largest mean of the current UTC day, week and month, as in the recorded series
 * `key:aigateway_limit_usage_credits:burn_gateway`, and of the limit's window, which may contain more than credits.
 * Undefined: the key has no limit, is disabled or used up, spends nothing, or something of this is unknown.
 */
export function forecastOf(key: KeyRow, nowMs: number): Forecast | undefined {
  const { limit, remaining, nextResetMs } = key;
  if (typeof limit !== "number" || remaining === undefined || remaining <= 0 || key.isDisabled)
    return undefined;
  const perMs = Math.max(...ratesOf(key, limit - remaining, nowMs));
  if (!(perMs > 0) || !Number.isFinite(perMs)) return undefined;
  const exhaustedMs = nowMs + remaining / perMs;
  const isLasting = nextResetMs !== undefined && exhaustedMs >= nextResetMs;
  const leftAtReset = isLasting ? remaining - perMs * (nextResetMs - nowMs) : undefined;
  return { perHour: perMs * HOUR_MS, exhaustedMs, leftAtReset };
}

/** The window of a limit whose next reset is known. */
export function limitWindowOf({ reset, nextResetMs }: KeyRow, nowMs: number): Window | undefined {
  const kind = LIMIT_WINDOWS.get(reset ?? "");
  return kind === undefined || nextResetMs === undefined ? undefined : windowAt(kind, nowMs);
}

/** Credits per millisecond. A window that has just begun counts as an hour, because its rate means little. */
function ratesOf(key: KeyRow, used: number, nowMs: number): readonly number[] {
  const since = ({ startMs }: Window) => Math.max(nowMs - startMs, HOUR_MS);
  const ofLimit = limitWindowOf(key, nowMs);
  return [
    ...WINDOW_KINDS.flatMap((kind) =>
      key[kind] === undefined ? [] : [key[kind] / since(windowAt(kind, nowMs))],
    ),
    ...(ofLimit ? [used / since(ofLimit)] : []),
  ];
}

const LIMIT_WINDOWS: ReadonlyMap<string, WindowKind> = new Map([
  ["daily", "day"],
  ["weekly", "week"],
  ["monthly", "month"],
]);
