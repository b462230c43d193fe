import type { AnalyticsAnswer, AnalyticsRow } from "../gateway/analytics.ts";
import { USAGE_METRICS } from "./analytics-families.ts";
import { labelText } from "./label-text.ts";

/** Who spent what, in at most `top` named pairs and a remainder, so that the sum over all is the total. */
export interface Breakdown {
  readonly pairs: readonly Pair[];
  /** Pairs that are known and shown only as part of the remainder. */
  readonly foldedPairs: number;
  /** Rows whose labels an earlier row had already. */
  readonly collidingRows: number;
  /** Whether rows and total disagree although all rows are there: something was spent between the two answers. */
  readonly moved: boolean;
}

export interface Pair {
  readonly model: string;
  readonly app: string;
  readonly values: Values;
}

type Values = Readonly<Record<string, number | null>>;

/** The label of a value that is null or empty. */
const NONE = "_none";
/** Both labels of the remainder. */
const OTHER = "_other";

/** A remainder below this share of the total is what binary fractions leave behind, not spend. */
const DUST = 1e-9;

/**
 * Cuts the rows to the `top` pairs by credits. The rest is the total less what is shown, so pairs beyond the service's
 * row limit and rows that could not be read are in it. A negative remainder of a count is a row that moved between
 * the two answers, and none; without a single request there is no remainder at all.
 */
export function breakdown(grouped: AnalyticsAnswer, total: AnalyticsAnswer, top: number): Breakdown {
  const all = pairsOf(grouped.rows);
  const ranked = all.toSorted(byCredits);
  const [shown, folded] = [ranked.slice(0, top), ranked.slice(top)];
  const totals = total.rows[0]?.values ?? {};
  const complete = !grouped.truncated && grouped.unreadableRows === 0;
  const remainder = remainderOf(totals, shown, folded, complete);
  const hidden = folded.length > 0 || !complete;
  const exists = hidden || (remainder["request_count"] ?? 0) > 0;
  return {
    pairs: exists ? withRemainder(shown, remainder) : shown,
    foldedPairs: folded.length,
    collidingRows: grouped.rows.length - all.length,
    moved: complete && USAGE_METRICS.some((metric) => difference(totals[metric], all, metric) !== 0),
  };
}

/** One pair for each two labels: amounts of twins are summed, rates cannot be. */
export function pairsOf(rows: readonly AnalyticsRow[]): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  for (const row of rows) {
    const [model, app] = [labelOf(row.labels["model"]), labelOf(row.labels["app"])];
    const identity = identityOf({ model, app });
    const twin = pairs.get(identity);
    pairs.set(identity, { model, app, values: twin ? added(twin.values, row.values) : row.values });
  }
  return [...pairs.values()];
}

function identityOf({ model, app }: Omit<Pair, "values">): string {
  return JSON.stringify([model, app]);
}

function labelOf(text: string | null | undefined): string {
  return text === null || text === undefined || text === "" ? NONE : labelText(text);
}

function added(first: Values, second: Values): Values {
  return Object.fromEntries(
    USAGE_METRICS.map((metric) => {
      const amounts = [first[metric], second[metric]].filter((amount) => typeof amount === "number");
      // Fifteen digits are exact for a decimal amount, and 0.1 + 0.2 is 0.3 again.
      const both = amounts.reduce((total, amount) => total + amount, 0);
      return [metric, amounts.length === 0 ? null : Number(both.toPrecision(15))];
    }),
  );
}

/** Total less what is shown, metric by metric; a metric without a remainder is left out. */
function remainderOf(
  totals: Values,
  shown: readonly Pair[],
  folded: readonly Pair[],
  complete: boolean,
): Values {
  const remainder: Record<string, number> = {};
  for (const metric of USAGE_METRICS) {
    const isCount = metric !== "total_usage";
    // A total without a value tells nothing, and one below the rows is older than they are: then the remainder is what
    // is known of it. Credits that are not among the rows may be negative.
    const known = sum(shown, metric) + sum(folded, metric);
    const told = totals[metric] ?? known;
    const total = complete || isCount ? Math.max(told, known) : told;
    const rest = difference(total, shown, metric);
    if (rest !== 0 && !(isCount && rest < 0)) remainder[metric] = rest;
  }
  return remainder;
}

/** Total less the pairs' amounts; 0 where that is dust, or the total has no value. */
function difference(total: number | null | undefined, pairs: readonly Pair[], metric: string): number {
  if (typeof total !== "number") return 0;
  // Amounts that cancel each other leave dust of their own size, not of the total's.
  const size = pairs.reduce((most, { values }) => most + Math.abs(values[metric] ?? 0), 0);
  const scale = Math.max(Math.abs(total), size);
  const rest = withoutDust(total - sum(pairs, metric), scale);
  return Math.abs(rest) > DUST * scale ? rest : 0;
}

/** A service may have a model and an app that are called as the remainder is: one series cannot stand there twice. */
function withRemainder(shown: readonly Pair[], remainder: Values): readonly Pair[] {
  if (Object.keys(remainder).length === 0) return shown;
  const namesake = shown.find((pair) => pair.model === OTHER && pair.app === OTHER);
  const others = shown.filter((pair) => pair !== namesake);
  const values = namesake ? added(namesake.values, remainder) : remainder;
  return [...others, { model: OTHER, app: OTHER, values }];
}

function sum(pairs: readonly Pair[], metric: string): number {
  return pairs.reduce((total, pair) => total + (pair.values[metric] ?? 0), 0);
}

/** The dearest first; pairs that cost the same by requests, then by name, so that the cut is the same at each poll. */
function byCredits(one: Pair, other: Pair): number {
  const descending = (metric: string) =>
    (other.values[metric] ?? Number.NEGATIVE_INFINITY) - (one.values[metric] ?? Number.NEGATIVE_INFINITY);
  const byName = () => (identityOf(one) < identityOf(other) ? -1 : 1);
  return descending("total_usage") || descending("request_count") || byName();
}

/** Rounds a difference to twelve digits of the amount that it was taken from: below is noise of binary fractions. */
function withoutDust(value: number, amount: number): number {
  if (amount === 0 || !Number.isFinite(amount)) return value;
  const decimals = 11 - Math.floor(Math.log10(Math.abs(amount)));
  return decimals >= 0 && decimals <= 100 ? Number(value.toFixed(decimals)) : value;
}
