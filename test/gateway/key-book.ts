import type { Key } from "./entities.ts";
import type { Ledger, Spent } from "./ledger.ts";
import { countedMicros } from "./limits.ts";
import {
  DAY,
  dayStart,
  MONDAY,
  monthStart,
  type Reset,
  weekStart,
  type Window,
  windowOf,
} from "./windows.ts";

/** The gateway's windows: the current UTC day, week (from Monday), month, and all time. */
export type KeyUsage = { day: number; week: number; month: number; total: number };
export type KeyFigures = { usage: KeyUsage; byok: KeyUsage; limit: number | null; remaining: number | null };
export type KeyBook = {
  readonly at: number;
  readonly limitReset: Reset | null;
  /** The window of the limit. */
  readonly window: Window;
  readonly windows: Readonly<Record<"day" | "week" | "month", { start: number; end: number }>>;
  readonly micros: KeyFigures;
  readonly credits: KeyFigures;
};

/**
 * `windowsAt` selects the windows; `at` is the time up to which figures are known. The two differ while figures lag.
 */
export function keyBook(ledger: Ledger, key: Key, at: number, windowsAt: number): KeyBook {
  const window = windowOf(key.limitReset, windowsAt);
  const windows = {
    day: { start: dayStart(windowsAt), end: dayStart(windowsAt) + DAY },
    week: { start: weekStart(windowsAt, MONDAY), end: weekStart(windowsAt, MONDAY) + 7 * DAY },
    month: { start: monthStart(windowsAt), end: monthStart(windowsAt, 1) },
  };
  const since = (start: number): Spent =>
    at < start ? { micros: 0, byokMicros: 0 } : ledger.spent(key, start, at);
  const day = since(windows.day.start);
  const week = since(windows.week.start);
  const month = since(windows.month.start);
  const total = since(Number.NEGATIVE_INFINITY);
  const remaining =
    key.limitMicros === null ? null : key.limitMicros - countedMicros(key, since(window.start));
  const micros: KeyFigures = {
    usage: { day: day.micros, week: week.micros, month: month.micros, total: total.micros },
    byok: { day: day.byokMicros, week: week.byokMicros, month: month.byokMicros, total: total.byokMicros },
    limit: key.limitMicros,
    remaining,
  };
  const credits: KeyFigures = {
    usage: usageInCredits(micros.usage),
    byok: usageInCredits(micros.byok),
    limit: micros.limit === null ? null : micros.limit / 1e6,
    remaining: remaining === null ? null : remaining / 1e6,
  };
  return { at, limitReset: key.limitReset, window, windows, micros, credits };
}

function usageInCredits(usage: KeyUsage): KeyUsage {
  return {
    day: usage.day / 1e6,
    week: usage.week / 1e6,
    month: usage.month / 1e6,
    total: usage.total / 1e6,
  };
}
