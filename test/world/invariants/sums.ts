import { decimal, windowEnd } from "../calendar.ts";
import {
  type Answered,
  type QueryName,
  type AmountFamily,
  bookAmount,
  OTHER,
  QUERIES,
  rangeStart,
  shownKeyModels,
  type ShownAmounts,
  shownUsage,
  usageAnswers,
} from "../shown-usage.ts";
import type { Judge, Scrape, World } from "../world.ts";
import { intervalMs } from "../exporter-state.ts";

/**
 * The shown pairs of a window, of models and apps or of keys and models, are rows of one answer about that window, and
 * their sum with `_other` is exactly the total. A query about one key shows nothing but what is of that key.
 */
export function createSums(world: World): Judge {
  let longestMs = 0;

  function judgeQuery(
    query: QueryName,
    scrape: Scrape,
    shown: ShownAmounts = shownUsage(scrape, query),
    kind: "pairs" | "keys" = "pairs",
  ): readonly string[] {
    if (![...shown.values()].some((pairs) => pairs.size > 0)) return [];
    const leastMs = query === "last_month" ? 3_600_000 : 0;
    const oldest = scrape.at - 3 * Math.max(longestMs, leastMs) - 40_000;
    const answers = usageAnswers(world, rangeStart(query, scrape.atMs), scrape.at, kind).filter(
      ({ question, usage }) =>
        question.at >= oldest &&
        coversWindow(query, usage, scrape.atMs) &&
        isSettled(question.asOfMs, query, scrape.atMs),
    );
    const grouped = answers.filter(({ usage }) => usage.isGrouped);
    const faults = grouped.map((answer) => faultOf(shown, answer, answers));
    if (faults.includes(undefined)) return [];
    return [
      `the ${kind} of ${query} are no answer about it (${grouped.length} answers): ${faults.at(-1) ?? "none"}`,
    ];
  }

  function judgeOwnQuery({ exposition, at, atMs }: Scrape): readonly string[] {
    const shown = exposition
      .samples("aigateway_query_credits")
      .filter(({ labels }) => labels["query"] === "own");
    if (shown.length === 0) return [];
    const sum = sumOf(shown.map(({ text }) => decimal(text)));
    const oldest = at - 3 * longestMs - 40_000;
    const answers = usageAnswers(world, rangeStart("month", atMs), at, "ofOne").filter(
      ({ question, usage }) => question.at >= oldest && !usage.isWarned,
    );
    const isTrue = answers.some(({ usage }) => bookAmount(usage.total, "credits") === sum);
    return isTrue
      ? []
      : [`the query about one key has ${sum}, which is in none of ${answers.length} answers`];
  }

  return {
    scraped: (scrape) => {
      longestMs = Math.max(longestMs, intervalMs(scrape, "analytics"));
      return Math.abs(world.time.skewMs()) > 1000
        ? []
        : [
            ...QUERIES.flatMap((query) => judgeQuery(query, scrape)),
            ...judgeOwnQuery(scrape),
            ...(["day", "month"] as const).flatMap((query) =>
              judgeQuery(query, scrape, shownKeyModels(scrape, query), "keys"),
            ),
          ];
    },
  };
}

/** Undefined: everything that is shown follows from this answer and one total. */
function faultOf(shown: ShownAmounts, { usage }: Answered, answers: readonly Answered[]): string | undefined {
  for (const [family, pairs] of shown) {
    for (const [pair, value] of pairs) {
      const row = usage.rows.get(pair);
      if (pair !== OTHER && (!row || bookAmount(row, family) !== value)) return `${family} of ${pair}`;
    }
  }
  const totals = answers.filter((one) => !one.usage.isGrouped);
  const isSum = (family: AmountFamily) => {
    const sum = sumOf(shown.get(family)?.values() ?? []);
    const known = sumOf([...usage.rows.values()].map((row) => bookAmount(row, family)));
    return totals.some(({ usage: { total } }) => sum === maximum(bookAmount(total, family), known));
  };
  const wrong = [...shown.keys()].find((family) => !isSum(family));
  return wrong && `the sum of ${wrong}`;
}

/** A range that has ended must be asked about in full. */
function coversWindow(query: QueryName, { endMs }: { readonly endMs: number }, atMs: number): boolean {
  if (query === "day" || query === "month") return true;
  return endMs === windowEnd(query === "last_day" ? "day" : "month", rangeStart(query, atMs));
}

function isSettled(asOfMs: number, query: QueryName, atMs: number): boolean {
  const window = query === "day" || query === "last_day" ? "day" : "month";
  return windowEnd(window, asOfMs) === windowEnd(window, atMs);
}

function sumOf(values: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const value of values) sum += value;
  return sum;
}

function maximum(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
