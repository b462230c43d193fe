import type { Gateway } from "../gateway/gateway.ts";
import { differences, seriesLike, type SeriesMap, seriesName } from "../support/series.ts";
import {
  bookOf,
  choiceProblems,
  expectedOtherSeries,
  expectedPairSeries,
  expectedQuerySeries,
  inCredits,
  QUERIES,
  type QueryBook,
  shownPairs,
  USAGE,
} from "./analytics-series.ts";
import { expectedKeySeries } from "./key-series.ts";

/**
 * Returns how the series of the keys differ from the books. Values must be equal to the last bit, with none missing
 * and none added.
 */
export function keyProblems(series: SeriesMap, gateway: Gateway): readonly string[] {
  const actual = seriesLike(series, /^aigateway_key_(?!last_success)/);
  return differences(actual, expectedKeySeries(gateway, gateway.tokens.keys()));
}

/**
 * Returns how the series of one query differ from the books: the remainder by more than 1e-9, all others by a bit.
 */
export function bookProblems(
  series: SeriesMap,
  book: QueryBook,
  top: number,
  nulls: boolean,
): readonly string[] {
  const usage = seriesLike(series, new RegExp(`^aigateway_usage_${book.query}_`));
  const shown = shownPairs(usage, book);
  const others = seriesLike(usage, OTHERS);
  const pairs = new Map([...usage].filter(([name]) => !others.has(name)));
  const expectedAbout = expectedQuerySeries(book, top);
  const about = new Map([...series].filter(([name]) => expectedAbout.has(name)));
  return [
    ...choiceProblems(book, shown, top),
    ...differences(pairs, expectedPairSeries(book, shown, nulls)),
    ...differences(others, expectedOtherSeries(book, shown), isClose),
    ...differences(about, expectedAbout),
  ];
}

/**
 * Returns where a family's sum over all models and apps differs from the total of the books. The keys of `sums` are
 * families.
 */
export function sumProblems(sums: SeriesMap, gateway: Gateway): readonly string[] {
  const expected = new Map(
    QUERIES.flatMap((query) => {
      const { total } = bookOf(gateway, query);
      return USAGE.map(([metric, suffix]): [string, number] => [
        seriesName(`aigateway_usage_${query}_${suffix}`, {}),
        inCredits(metric, total.integers[metric]),
      ]);
    }),
  );
  // A window without a request has no series, hence no sum.
  const spent = new Map([...expected].filter(([name, value]) => value !== 0 || sums.has(name)));
  return differences(sums, spent, isClose);
}

/**
 * Series that must be absent right after this midnight, and series of keys whose value occurs nowhere in the books
 * around it.
 */
export function endedWindowProblems(
  series: SeriesMap,
  midnight: number,
  allowed: readonly SeriesMap[],
): readonly string[] {
  const ended = [...series.keys()].filter((name) => endedAt(midnight, allowed).test(name));
  const values = seriesLike(series, /^aigateway_key_(?!last_success|up)/);
  const wrong = [...values].filter(
    ([name, value]) => !allowed.some((moment) => Object.is(moment.get(name), value)),
  );
  const isEmpty = !seriesLike(series, /^aigateway_key_usage_credits/).size;
  return [
    ...ended.map((name) => `${name} is present, but its window has ended`),
    ...wrong.map(([name, value]) => `${name} is ${value}, which the books never contained`),
    ...(isEmpty ? ["no key has a value"] : []),
  ];
}

/** Weeks end on Mondays, months on the first, days always; a limit's window with its reset. */
function endedAt(midnight: number, allowed: readonly SeriesMap[]): RegExp {
  const date = new Date(midnight);
  const [monday, first] = [date.getUTCDay() === 1, date.getUTCDate() === 1];
  const periods = ["day", ...(monday ? ["week"] : []), ...(first ? ["month"] : [])].join("|");
  const resets = ["daily", ...(monday ? ["weekly"] : []), ...(first ? ["monthly"] : [])];
  const limited = [
    ...new Set(
      allowed.flatMap((moment) => [...moment]).flatMap(([name, value]) => keyWith(name, value, resets)),
    ),
  ];
  const queries = `day|last_day${first ? "|month|last_month" : ""}`;
  return new RegExp(
    [
      `^aigateway_key_(byok_)?usage_(${periods})_`,
      "^aigateway_key_free_requests_day_",
      `^aigateway_key_limit_(remaining_credits|next_reset_\\w+|window_start_\\w+)\\{key="(${limited.join("|")})"`,
      `^aigateway_usage_(${queries})_`,
      `^aigateway_analytics_(?!up|last_success)\\w+\\{query="(${queries})"`,
    ].join("|"),
  );
}

/** The key of a series that shows one of these resets. */
function keyWith(name: string, value: number, resets: readonly string[]): readonly string[] {
  const match = /^aigateway_key_limit_reset\{aigateway_key_limit_reset="(\w+)",key="([^"]+)"/.exec(name);
  return match && value === 1 && resets.includes(match[1] ?? "") ? [match[2] ?? ""] : [];
}

const OTHERS = /\{app="_other",model="_other"\}$/;

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) <= 1e-9;
}
