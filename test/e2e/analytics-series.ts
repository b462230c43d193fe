import type { AdditiveMetric } from "../gateway/analytics/metrics.ts";
import type { AnalyticsBook } from "../gateway/books.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { DAY, dayStart, monthStart } from "../gateway/windows.ts";
import { type SeriesMap, seriesName } from "../support/series.ts";

export const QUERIES = ["day", "last_day", "month", "last_month"] as const;
export type Query = (typeof QUERIES)[number];

/** The service's metric and the suffix of ours. */
export const USAGE = [
  ["credits_usage", "credits"],
  ["byok_usage", "byok_credits"],
  ["request_count", "requests"],
  ["tokens_total", "tokens"],
  ["tokens_prompt", "prompt_tokens"],
  ["tokens_completion", "completion_tokens"],
  ["reasoning_tokens", "reasoning_tokens"],
] as const satisfies readonly (readonly [AdditiveMetric, string])[];

/** They are null for a pair without any, if the service sends null for parts that do not apply. */
const NULLABLE: ReadonlySet<AdditiveMetric> = new Set(["reasoning_tokens", "byok_usage"]);

/** What one pair of labels spent: integers by metric, money in micro-credits. */
export interface PairSpend {
  readonly model: string;
  readonly app: string;
  readonly integers: Readonly<Record<AdditiveMetric, number>>;
}

/** The books of one window as the exporter labels them, the most expensive pair first. */
export interface QueryBook {
  readonly query: Query;
  readonly start: number;
  /** Null while the window is current. */
  readonly end: number | null;
  readonly pairs: readonly PairSpend[];
  readonly total: AnalyticsBook["total"];
}

export function bookOf(gateway: Gateway, query: Query): QueryBook {
  const { start, end } = windowOf(query, gateway.clock.now());
  const book = gateway.books.analytics({ start, end: end ?? Number.POSITIVE_INFINITY });
  const pairs = new Map<string, PairSpend>();
  for (const { model, app, integers } of book.pairs) {
    const labels = { model: labelOf(model), app: labelOf(app) };
    const name = JSON.stringify(labels);
    pairs.set(name, { ...labels, integers: plus(integers, pairs.get(name)?.integers) });
  }
  const ranked = [...pairs.values()].toSorted((a, b) => b.integers.credits_usage - a.integers.credits_usage);
  return { query, start, end, pairs: ranked, total: book.total };
}

/** A null label is `_none`; text that UTF-8 cannot represent becomes U+FFFD (design 5). */
function labelOf(text: string | null): string {
  return text === null || text === "" ? "_none" : text.toWellFormed();
}

function windowOf(query: Query, at: number): { start: number; end: number | null } {
  switch (query) {
    case "day":
      return { start: dayStart(at), end: null };
    case "last_day":
      return { start: dayStart(at) - DAY, end: dayStart(at) };
    case "month":
      return { start: monthStart(at), end: null };
    case "last_month":
      return { start: monthStart(at, -1), end: monthStart(at) };
  }
}

function plus(one: PairSpend["integers"], other: PairSpend["integers"] | undefined): PairSpend["integers"] {
  const sum = { ...one };
  for (const [metric] of USAGE) sum[metric] += other?.[metric] ?? 0;
  return sum;
}

/** The pairs that have their own series; `_other` is the sum of all others. */
export function shownPairs(series: SeriesMap, book: QueryBook): readonly PairSpend[] {
  return book.pairs.filter((pair) => !isOther(pair) && series.has(usageName(book.query, "requests", pair)));
}

/** How many pairs have their own series: a pair that is named `_other` is part of the remainder. */
function namedCount({ pairs }: QueryBook, top: number): number {
  return Math.min(top, pairs.filter((pair) => !isOther(pair)).length);
}

/** Problems of the choice of the shown pairs: they must be the `top` most expensive ones, in any order among equals. */
export function choiceProblems(book: QueryBook, shown: readonly PairSpend[], top: number): readonly string[] {
  const shownCount = namedCount(book, top);
  const least = Math.min(...shown.map(({ integers }) => integers.credits_usage));
  const passedOver = book.pairs.filter(
    (pair) => !isOther(pair) && !shown.includes(pair) && pair.integers.credits_usage > least,
  );
  return [
    ...(shown.length === shownCount ? [] : [`${book.query} shows ${shown.length} pairs, want ${shownCount}`]),
    ...passedOver.map((pair) => `${book.query} does not show ${JSON.stringify(pair)}`),
  ];
}

/** The series of the pairs that are shown by name. With `nulls`, an unused component has none. */
export function expectedPairSeries(
  book: QueryBook,
  shown: readonly PairSpend[],
  nulls: boolean,
): Map<string, number> {
  return new Map(
    shown.flatMap((pair) =>
      USAGE.flatMap(([metric, suffix]): [string, number][] => {
        const integer = pair.integers[metric];
        if (nulls && NULLABLE.has(metric) && integer === 0) return [];
        return [[usageName(book.query, suffix, pair), inCredits(metric, integer)]];
      }),
    ),
  );
}

/** The series of `_other`: the sum of all pairs that are not shown. It is absent for a sum of zero. */
export function expectedOtherSeries(book: QueryBook, shown: readonly PairSpend[]): Map<string, number> {
  const hidden = book.pairs.filter((pair) => !shown.includes(pair));
  return new Map(
    USAGE.flatMap(([metric, suffix]): [string, number][] => {
      const integer = hidden.reduce((sum, { integers }) => sum + integers[metric], 0);
      return integer === 0 ? [] : [[usageName(book.query, suffix, OTHER), inCredits(metric, integer)]];
    }),
  );
}

/** The series about the query itself, as far as the books determine them. */
export function expectedQuerySeries(book: QueryBook, top: number): Map<string, number> {
  const { query, start, end, pairs } = book;
  const about = (name: string, value: number): [string, number] => [
    seriesName(`aigateway_analytics_${name}`, { query }),
    value,
  ];
  return new Map([
    about("up", 1),
    about("window_start_timestamp_seconds", start / 1000),
    about("truncated", 0),
    about("warnings", 0),
    about("unreadable_rows", 0),
    about("folded_series", pairs.length - namedCount(book, top)),
    ...(end === null ? [] : [about("window_end_timestamp_seconds", end / 1000)]),
  ]);
}

/** `aigateway_usage_day_credits{app="Chat",model="acme/one"}` */
export function usageName(
  query: Query,
  suffix: string,
  { model, app }: Pick<PairSpend, "model" | "app">,
): string {
  return seriesName(`aigateway_usage_${query}_${suffix}`, { model, app });
}

export function inCredits(metric: AdditiveMetric, integer: number): number {
  return metric === "credits_usage" || metric === "byok_usage" ? integer / 1e6 : integer;
}

export const OTHER = { model: "_other", app: "_other" } as const;

/** A service may have a pair with the name of the remainder: it is added there. */
export function isOther({ model, app }: Pick<PairSpend, "model" | "app">): boolean {
  return model === OTHER.model && app === OTHER.app;
}
