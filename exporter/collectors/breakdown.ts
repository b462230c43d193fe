import {
  type Amount,
  AMOUNT_TOLERANCE,
  AMOUNTS,
  type Amounts,
  NO_AMOUNTS,
  NO_RATES,
  type Usage,
  type UsagePair,
} from "../gateway/port.ts";
import type { WindowSpend } from "../readings/reading.ts";
import type { Window } from "../time/window.ts";
import { labelText } from "./label-text.ts";

/** The spend by pair, in at most `top` named pairs and a remainder, so that the sum over all pairs is the total. */
export interface Breakdown {
  readonly pairs: readonly Pair[];
  /** Number of known pairs that are shown only as part of the remainder. */
  readonly foldedPairs: number;
  /** Number of rows with the same labels as an earlier row. */
  readonly collidingRows: number;
}

/** A pair with its labels as `/metrics` shows them. */
export interface Pair {
  readonly model: string;
  readonly app: string;
  readonly amounts: Amounts;
  readonly rates: UsagePair["rates"];
}

/** The label of a value that is null or empty. */
const NONE = "_none";
/** Both labels of the remainder. */
const OTHER = "_other";

/**
 * Cuts the pairs to the `top` most expensive ones. The remainder is the total minus what is shown, so it contains
 * pairs beyond the service's row limit and rows that could not be read. A negative remainder of a count means that a
 * row changed between the two answers, so it is dropped. Without any request there is no remainder.
 */
export function breakdown(usage: Usage, top: number): Breakdown {
  const all = pairsOf(usage.pairs);
  const ranked = all.toSorted(byCredits);
  const [shown, folded] = [ranked.slice(0, top), ranked.slice(top)];
  const complete = hasAllRows(usage);
  const remainder = remainderOf(usage.total?.amounts, shown, folded, complete);
  const exists = folded.length > 0 || !complete || (remainder.requests ?? 0) > 0;
  return {
    pairs: exists ? withRemainder(shown, remainder) : shown,
    foldedPairs: folded.length,
    collidingRows: usage.pairs.length - all.length,
  };
}

/**
 * Credits spent in a window, before the pairs are cut. `byPair`: the pairs were requested. They are complete if no
 * row is missing and their sum is not below the total.
 */
export function windowSpend(window: Window, usage: Usage, byPair: boolean): WindowSpend {
  const { total } = usage;
  const credits = total?.empty ? 0 : total?.amounts.credits;
  if (!byPair) return { window, credits };
  const all = pairsOf(usage.pairs);
  const pairs = all.map(({ model, app, amounts }) => ({ model, app, credits: amounts.credits }));
  const complete = hasAllRows(usage) && difference(credits, all, "credits") <= 0;
  return { window, credits, breakdown: { pairs, complete } };
}

function hasAllRows({ truncated, unreadableRows }: Usage): boolean {
  return !truncated && unreadableRows === 0;
}

/**
 * One pair for each combination of labels: the amounts of duplicates are summed; their rates are dropped, because
 * rates do not add up.
 */
function pairsOf(rows: readonly UsagePair[]): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  for (const row of rows) {
    const pair = { ...row, model: labelOf(row.model), app: labelOf(row.app) };
    const identity = identityOf(pair);
    const twin = pairs.get(identity);
    pairs.set(identity, twin ? withAmounts(twin, row.amounts) : pair);
  }
  return [...pairs.values()];
}

function identityOf({ model, app }: Pick<Pair, "model" | "app">): string {
  return JSON.stringify([model, app]);
}

function labelOf(text: string | null): string {
  return text === null || text === "" ? NONE : labelText(text);
}

function withAmounts({ model, app, amounts }: Pair, more: Partial<Amounts>): Pair {
  const summed = amountsBy((amount) => sumOf([amounts[amount], more[amount]]));
  return { model, app, amounts: summed, rates: NO_RATES };
}

function amountsBy(value: (amount: Amount) => number | undefined): Amounts {
  const amounts: Record<Amount, number | undefined> = { ...NO_AMOUNTS };
  for (const amount of AMOUNTS) amounts[amount] = value(amount);
  return amounts;
}

/** Undefined when no value is known. Fifteen digits are exact for a decimal amount: 0.1 + 0.2 is 0.3 again. */
function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return undefined;
  return Number(known.reduce((total, value) => total + value, 0).toPrecision(15));
}

/** The total minus what is shown, for each amount; an amount without a remainder is undefined. */
function remainderOf(
  totals: Amounts | undefined,
  shown: readonly Pair[],
  folded: readonly Pair[],
  complete: boolean,
): Amounts {
  return amountsBy((amount) => {
    const isCount = amount !== "credits";
    // If the total is unknown, or older than the rows and therefore smaller, the remainder contains only what is
    // known. Credits outside the rows may be negative.
    const known = sum(shown, amount) + sum(folded, amount);
    const answered = totals?.[amount] ?? known;
    const total = complete || isCount ? Math.max(answered, known) : answered;
    const rest = difference(total, shown, amount);
    return rest === 0 || (isCount && rest < 0) ? undefined : rest;
  });
}

/** The total minus the pairs' amounts; 0 when the difference is an error of binary fractions, or the total is unknown. */
function difference(total: number | undefined, pairs: readonly Pair[], amount: Amount): number {
  if (total === undefined) return 0;
  // Amounts that cancel out leave an error proportional to their own size, not to the total.
  const size = pairs.reduce((added, { amounts }) => added + Math.abs(amounts[amount] ?? 0), 0);
  const scale = Math.max(Math.abs(total), size);
  const rest = rounded(total - sum(pairs, amount), scale);
  return Math.abs(rest) > AMOUNT_TOLERANCE * scale ? rest : 0;
}

/** A real model and app may both be called `_other`: their pair joins the remainder, so that no series occurs twice. */
function withRemainder(shown: readonly Pair[], remainder: Amounts): readonly Pair[] {
  if (AMOUNTS.every((amount) => remainder[amount] === undefined)) return shown;
  const namesake = shown.find((pair) => pair.model === OTHER && pair.app === OTHER);
  const others = shown.filter((pair) => pair !== namesake);
  const other = namesake
    ? withAmounts(namesake, remainder)
    : { model: OTHER, app: OTHER, amounts: remainder, rates: NO_RATES };
  return [...others, other];
}

function sum(pairs: readonly Pair[], amount: Amount): number {
  return pairs.reduce((total, { amounts }) => total + (amounts[amount] ?? 0), 0);
}

/** Most expensive first, ties by requests and then by name, so that every run cuts at the same place. */
function byCredits(one: Pair, other: Pair): number {
  const descending = (amount: Amount) =>
    (other.amounts[amount] ?? Number.NEGATIVE_INFINITY) - (one.amounts[amount] ?? Number.NEGATIVE_INFINITY);
  return (
    descending("credits") ||
    descending("requests") ||
    byText(one.model, other.model) ||
    byText(one.app, other.app)
  );
}

function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Rounds a difference to twelve digits of the minuend: the rest is noise of binary fractions. */
function rounded(value: number, amount: number): number {
  if (amount === 0 || !Number.isFinite(amount)) return value;
  const decimals = 11 - Math.floor(Math.log10(Math.abs(amount)));
  return decimals >= 0 && decimals <= 100 ? Number(value.toFixed(decimals)) : value;
}
