import { additiveInteger, type AdditiveMetric, additiveMetricNames, isMoney } from "./analytics/metrics.ts";
import type { Entry, Ledger, Spent } from "./ledger.ts";
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
import type { Context } from "./context.ts";
import { type Key, mainAccount } from "./entities.ts";
import type { TranscriptionRecord } from "./transcription/record.ts";

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

export type Totals = Record<AdditiveMetric, number>;
export type PairBook = {
  readonly model: string;
  readonly app: string | null;
  /** Integers; money in micro-credits. */
  readonly integers: Totals;
  /** As on the wire; money in credits. */
  readonly numbers: Totals;
};
export type AnalyticsBook = {
  readonly pairs: readonly PairBook[];
  readonly total: Pick<PairBook, "integers" | "numbers">;
};
export type AnalyticsPeriod = { start: number; end: number; at?: number; account?: string };

export type Books = ReturnType<typeof createBooks>;

/** The reference for all answers, in integers and in numbers. `at` means "as known at this time", now by default. */
export function createBooks(context: Context, advance: () => void) {
  const { world, ledger, clock, transcriptions } = context;
  const now = (): number => {
    advance();
    return clock.now();
  };
  return {
    key: (name: string, at = now()): KeyBook => keyBook(ledger, world.key(name), at, at),
    /** Sums per pair of labels, as an exporter shows them: two apps with the same title form one pair. */
    analytics: (period: AnalyticsPeriod): AnalyticsBook => analyticsBook(ledger, now(), period),
    /** Every charged transcription, in order. */
    transcriptions: (at = now()): readonly TranscriptionRecord[] =>
      transcriptions.filter((record) => record.at <= at),
    /** Every entry known at a time, for tests that recount. */
    *entries(at = now()): Generator<Entry> {
      for (const entry of ledger.entries()) if (entry.at <= at) yield entry;
    },
  };
}

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

function analyticsBook(ledger: Ledger, now: number, period: AnalyticsPeriod): AnalyticsBook {
  const { start, end, at = now, account = mainAccount } = period;
  const pairs = new Map<string, { model: string; app: string | null; integers: Totals }>();
  const total = noTotals();
  for (const entry of ledger.entries(start, end)) {
    const { key, model, app } = entry.route;
    if (entry.at > at || key.account.name !== account) continue;
    const name = JSON.stringify([model.label, app?.title ?? null]);
    let pair = pairs.get(name);
    if (pair === undefined) {
      pair = { model: model.label, app: app?.title ?? null, integers: noTotals() };
      pairs.set(name, pair);
    }
    addEntry(pair.integers, entry);
    addEntry(total, entry);
  }
  return {
    pairs: [...pairs.values()].map((pair) => ({ ...pair, numbers: inNumbers(pair.integers) })),
    total: { integers: total, numbers: inNumbers(total) },
  };
}

function addEntry(totals: Totals, entry: Entry): void {
  for (const name of additiveMetricNames) totals[name] += additiveInteger(name, entry);
}

function noTotals(): Totals {
  return {
    request_count: 0,
    total_usage: 0,
    tokens_total: 0,
    tokens_prompt: 0,
    tokens_completion: 0,
    reasoning_tokens: 0,
    cached_tokens: 0,
    byok_usage: 0,
  };
}

function inNumbers(integers: Totals): Totals {
  const numbers = { ...integers };
  for (const name of additiveMetricNames) if (isMoney(name)) numbers[name] /= 1e6;
  return numbers;
}
