import { queryFamilies, type Query } from "../collectors/analytics-families.ts";
import { type Breakdown, breakdown } from "../collectors/breakdown.ts";
import { pairSamples } from "../collectors/query-job.ts";
import { QUERY_WINDOWS } from "../config/config.ts";
import { type Amount, AMOUNTS, type Amounts, NO_RATES, type Usage } from "../gateway/port.ts";
import { WHOLE_ANSWER } from "../gateway/usage.ts";
import { decimalRest, decimalSum, isSumOf } from "../metrics/decimal-sum.ts";
import { type Sample, sample } from "../metrics/family.ts";
import { type Window, windowAt, windowBefore } from "../time/window.ts";
import { amountsOf, type PastAnswer, type PastRow, PAIRS } from "./answers.ts";
import { rounded, shareOf } from "./curve.ts";
import { createDaySeries, type DaySeries } from "./day-series.ts";
import type { BackfillPlan, SampleTime } from "./plan.ts";

/** The amounts of each pair by its labels as JSON. What belongs to no row of the gateway has `REST`. */
type Ledger = Map<string, Amounts>;
const REST = "";

/**
 * Follows the pairs of model and app day by day. It holds the pairs of two months, and the hours of one day. `totals`: the
 * sums over everything, by the beginning of their hours and days.
 */
export function createPairPast(plan: BackfillPlan, totals: ReadonlyMap<number, Amounts>) {
  /** The sums of the running month until the current day, and of the month and the day before. */
  let [month, lastMonth, lastDay]: [Ledger, Ledger, Ledger] = [new Map(), new Map(), new Map()];
  let monthStartMs = Number.NaN;
  let ledgers: readonly { readonly window: Window; readonly ledger: Ledger }[] = [];

  /** Begins a day; the one before it is complete. */
  function begin(day: Window, hours: readonly PairBucket[]): void {
    lastDay = sumOf(ledgers.map(({ ledger }) => ledger));
    month = sumOf([month, lastDay]);
    const { startMs } = windowAt("month", day.startMs);
    if (startMs !== monthStartMs) [monthStartMs, lastMonth, month] = [startMs, month, new Map()];
    ledgers = hours.map(({ window, rows }) => ({
      window,
      ledger: ledgerOf(rows, totals.get(window.startMs)),
    }));
  }

  function* series(day: Window, times: readonly SampleTime[]): Generator<DaySeries> {
    const collected = createDaySeries(times.length);
    const known = QUERY_WINDOWS.filter((query) => isKnown(query, day));
    const complete = { last_day: shownOf(lastDay, plan.top), last_month: shownOf(lastMonth, plan.top) };
    let [done, next]: [Ledger, number] = [new Map(), 0];
    for (const [index, { untilMs }] of times.entries()) {
      for (; (ledgers[next]?.window.endMs ?? Infinity) <= untilMs; next++) {
        done = sumOf([done, ledgers[next]?.ledger ?? new Map()]);
      }
      const running = ledgers[next];
      const share = running ? shareOf(running.window, untilMs) : 0;
      // A pair that has not begun is absent, and not 0.
      const today = running && share > 0 ? sumOf([done, partOf(running.ledger, share)]) : done;
      const thisMonth = shownOf(sumOf([month, today]), plan.top);
      const shown = { ...complete, day: shownOf(today, plan.top), month: thisMonth };
      const pairs = known.flatMap((query) => pairSamples(query, shown[query]));
      collected.add(index, [...pairs, ...known.flatMap((query) => rangeSamples(query, day, untilMs))]);
    }
    yield* collected.all();
  }

  function isKnown(query: Query, { startMs }: Window): boolean {
    return rangeOf(query, startMs, startMs).startMs >= plan.dataStartMs;
  }

  return { begin, series };
}

/** The rows of an hour or a day. */
export interface PairBucket {
  readonly window: Window;
  readonly rows: readonly PastRow[];
}

/** Divides the answers about pairs, which are in order, into days. */
export async function* pairDays(
  answers: AsyncIterable<PastAnswer>,
  buckets: readonly Window[],
): AsyncGenerator<readonly PairBucket[]> {
  let [day, next]: [PairBucket[], number] = [[], 0];
  for await (const { subject, range, rows } of answers) {
    if (subject !== PAIRS) continue;
    const byStart = Map.groupBy(rows, ({ startMs }) => startMs);
    for (let window = buckets[next]; window && window.startMs < range.endMs; window = buckets[++next]) {
      const [first] = day;
      if (first && windowAt("day", first.window.startMs).endMs <= window.startMs) {
        yield day;
        day = [];
      }
      day.push({ window, rows: byStart.get(window.startMs) ?? [] });
    }
  }
  if (day.length > 0) yield day;
}

/**
 * The rows of an hour or a day with the rest of its total, so that interpolated sums are sums of interpolated
 * parts.
 */
function ledgerOf(rows: readonly PastRow[], total: Amounts | undefined): Ledger {
  const ledger = sumOf(rows.map((row) => new Map([[JSON.stringify(row.labels), amountsOf(row)]])));
  const rest: Partial<Record<Amount, number | undefined>> = {};
  for (const amount of AMOUNTS) {
    const known = [...ledger.values()].flatMap((amounts) => amounts[amount] ?? []);
    const whole = total?.[amount];
    // Rows may have arrived between the two answers. A negative rest is left out.
    if (whole === undefined || isSumOf(whole, known)) continue;
    const left = decimalRest(whole, known);
    if (left > 0) rest[amount] = left;
  }
  if (AMOUNTS.some((amount) => rest[amount] !== undefined)) ledger.set(REST, rest);
  return ledger;
}

function sumOf(ledgers: readonly Ledger[]): Ledger {
  const [first = new Map<string, Amounts>(), ...others] = ledgers;
  const sum: Ledger = new Map(first);
  for (const [pair, amounts] of others.flatMap((ledger) => [...ledger])) {
    const known = sum.get(pair);
    sum.set(pair, known ? eachAmount((name) => added(known[name], amounts[name])) : amounts);
  }
  return sum;
}

function added(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Number.isInteger(one) && Number.isInteger(other) ? one + other : decimalSum([one, other]);
}

/** Counts stay whole numbers. */
function partOf(ledger: Ledger, share: number): Ledger {
  return new Map(
    [...ledger].map(([pair, amounts]) => [
      pair,
      eachAmount((name) => {
        const value = amounts[name];
        if (value === undefined) return undefined;
        const isMoney = name === "credits" || name === "byokCredits";
        return isMoney ? rounded(value * share) : Math.floor(value * share);
      }),
    ]),
  );
}

function eachAmount(of: (name: Amount) => number | undefined): Amounts {
  const amounts: Partial<Record<Amount, number | undefined>> = {};
  for (const name of AMOUNTS) amounts[name] = of(name);
  return amounts;
}

/** What the exporter would have shown of these sums: the most expensive pairs by name, and the rest. */
function shownOf(ledger: Ledger, top: number): Breakdown {
  const pairs = [...ledger].flatMap(([pair, amounts]) => {
    if (pair === REST) return [];
    const [model = null, app = null]: (string | null)[] = JSON.parse(pair);
    return [{ model, app, amounts, rates: NO_RATES }];
  });
  const all = [...ledger.values()];
  const total = eachAmount((name) => {
    const known = all.flatMap((amounts) => amounts[name] ?? []);
    return known.length > 0 ? decimalSum(known) : undefined;
  });
  const usage: Usage = {
    ...WHOLE_ANSWER,
    creditsSource: "credits",
    pairs,
    total: { amounts: total, empty: all.length === 0 },
    rows: pairs.length,
  };
  // The labels are those that may be shown.
  return breakdown(usage, top, (text) => text);
}

/** The time range of a query, which dashboards need for rates of spend. */
function rangeSamples(query: Query, day: Window, untilMs: number): readonly Sample[] {
  const { startMs, endMs } = rangeOf(query, day.startMs, untilMs);
  return [
    ...sample(queryFamilies.windowStart, { query }, startMs / 1000),
    ...sample(queryFamilies.windowEnd, { query }, endMs / 1000),
    ...sample(queryFamilies.dataTimestamp, { query }, endMs / 1000),
  ];
}

function rangeOf(query: Query, dayMs: number, untilMs: number): Window {
  if (query === "last_day") return windowBefore("day", dayMs);
  if (query === "last_month") return windowBefore("month", dayMs);
  return { startMs: windowAt(query, dayMs).startMs, endMs: untilMs };
}
