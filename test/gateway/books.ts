import { createAccountBooks } from "./account/account-books.ts";
import { type Integers, integersOf, numbersOf } from "./analytics/metrics.ts";
import { addFigures, type Figures, type Ledger, noFigures } from "./ledger.ts";
import type { Context } from "./context.ts";
import { mainAccount } from "./entities.ts";
import { type KeyBook, keyBook } from "./key-book.ts";
import type { TranscriptionRecord } from "./transcription/recordings.ts";

export type PairBook = {
  readonly model: string;
  readonly app: string | null;
  /** Integers; money in micro-credits. */
  readonly integers: Integers;
  /** As on the wire; money in credits. */
  readonly numbers: Integers;
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
    ...createAccountBooks(context, now),
    key: (name: string, at = now()): KeyBook => keyBook(ledger, world.key(name), at, at),
    /** Sums per pair of labels, as an exporter shows them: two apps with the same title form one pair. */
    analytics: (period: AnalyticsPeriod): AnalyticsBook => analyticsBook(ledger, now(), period),
    /** Every charged transcription, in order. */
    transcriptions: (at = now()): readonly TranscriptionRecord[] =>
      transcriptions.filter((record) => record.at <= at),
  };
}

function analyticsBook(ledger: Ledger, now: number, period: AnalyticsPeriod): AnalyticsBook {
  const { start, end, at = now, account = mainAccount } = period;
  const pairs = new Map<string, { model: string; app: string | null; figures: Figures }>();
  const total = { ...noFigures };
  for (const entry of ledger.entries(start, end)) {
    const { key, model, app } = entry.route;
    if (entry.at > at || key.account.name !== account) continue;
    const name = JSON.stringify([model.label, app?.title ?? null]);
    let pair = pairs.get(name);
    if (pair === undefined) {
      pair = { model: model.label, app: app?.title ?? null, figures: { ...noFigures } };
      pairs.set(name, pair);
    }
    addFigures(pair.figures, entry);
    addFigures(total, entry);
  }
  return {
    pairs: [...pairs.values()].map(({ model, app, figures }) => ({ model, app, ...inBoth(figures) })),
    total: inBoth(total),
  };
}

function inBoth(figures: Figures): AnalyticsBook["total"] {
  const integers = integersOf(figures);
  return { integers, numbers: numbersOf(integers) };
}
