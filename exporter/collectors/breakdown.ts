import { type Amount, AMOUNTS, type Amounts, NO_RATES, type Usage, type UsagePair } from "../gateway/port.ts";
import { decimalRest, decimalSum, isSumOf } from "../metrics/decimal-sum.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import type { SpendGap, WindowSpend } from "../readings/reading.ts";
import type { Window } from "../time/window.ts";

/** The spend by pair, in at most `top` named pairs and a remainder, so that the sum over all pairs is the total. */
export interface Breakdown {
  readonly pairs: readonly Row[];
  /** Number of known pairs that are shown only as part of the remainder. */
  readonly foldedPairs: number;
  /** Number of rows with the same labels as an earlier row. */
  readonly collidingRows: number;
  /** Whether the rows add up to more than the total, so that the sum over all pairs is too high as well. */
  readonly exceedsTotal: boolean;
  /** Number of labels of the named pairs that reveal a secret. */
  readonly concealedLabels: number;
}

/**
 * A row with its labels as `/metrics` shows them. A query of the configuration has other dimensions: `model` is the value
 * of the first one, and `app` that of the second one.
 */
export interface Row {
  readonly model: string;
  readonly app: string;
  readonly amounts: Amounts;
  readonly rates: UsagePair["rates"];
}

/** The label of a value that is null or empty. */
const NONE = "_none";
/** Both labels of the remainder. */
export const OTHER = "_other";

/** The `top` most expensive pairs are named, all others are part of the remainder. */
function cutRows({ pairs }: Pick<Usage, "pairs">, top: number) {
  const all = rowsOf(pairs);
  // A real model and app may both be called `_other`. They are part of the remainder, so that no series occurs twice.
  const named = all
    .filter((pair) => !isOther(pair))
    .toSorted(byCredits)
    .slice(0, top);
  const isNamed = new Set(named);
  return { named, folded: all.filter((pair) => !isNamed.has(pair)) };
}

/**
 * The remainder is the total minus what is shown, so it contains pairs beyond the service's row limit, rows that could
 * not be read and amounts that belong to no row. If the rows add up to more than the total, the remainder is the sum of
 * the pairs that are not shown. `shownOf` returns what is shown for a label.
 */
export function breakdown(usage: Usage, top: number, shownOf = shownLabel): Breakdown {
  const { named, folded } = cutRows(usage, top);
  // Budgets name pairs by their own labels, which are not shown.
  const safe = named.map((pair) => ({ ...pair, model: shownOf(pair.model), app: shownOf(pair.app) }));
  const shown = merged(safe);
  const rests = AMOUNTS.map((amount) => [amount, restOf(usage, amount, shown, folded)] as const);
  const amounts: Partial<Record<Amount, number | undefined>> = {};
  for (const [amount, { value }] of rests) amounts[amount] = value === 0 ? undefined : value;
  const exists = AMOUNTS.some((amount) => amounts[amount] !== undefined);
  return {
    pairs: exists ? [...shown, { model: OTHER, app: OTHER, amounts, rates: NO_RATES }] : shown,
    foldedPairs: folded.length,
    collidingRows: usage.pairs.length - folded.length - shown.length,
    exceedsTotal: rests.some(([, { isExcess }]) => isExcess),
    concealedLabels: named.reduce((count, pair, index) => count + changedLabels(pair, safe[index]), 0),
  };
}

function isOther({ model, app }: Row): boolean {
  return model === OTHER && app === OTHER;
}

/** Whether every row of the pairs was sent and can be read. */
export function hasAllRows({ truncated, unreadableRows }: Usage): boolean {
  return !truncated && unreadableRows === 0;
}

/** The values of an amount that are known. */
export function knownOf(pairs: readonly Pick<Row, "amounts">[], amount: Amount): readonly number[] {
  return pairs.flatMap(({ amounts }) => amounts[amount] ?? []);
}

interface Rest {
  /** Undefined: there is no remainder. */
  readonly value: number | undefined;
  /** Whether the rows add up to more than the total. */
  readonly isExcess: boolean;
}

/** What is not shown of an amount. */
function restOf(usage: Usage, amount: Amount, shown: readonly Row[], folded: readonly Row[]): Rest {
  const total = usage.total?.empty ? 0 : usage.total?.amounts[amount];
  const [ofShown, ofFolded] = [knownOf(shown, amount), knownOf(folded, amount)];
  const known = ofFolded.length === 0 ? undefined : decimalSum(ofFolded);
  const all = [...ofShown, ...ofFolded];
  if (total === undefined || isSumOf(total, all)) return { value: known, isExcess: false };
  // Money of the rows that are missing may be refunds.
  const mayBeLess = (amount === "credits" || amount === "byokCredits") && !hasAllRows(usage);
  if (decimalSum(all) > total && !mayBeLess) return { value: known, isExcess: true };
  return { value: decimalRest(total, ofShown), isExcess: false };
}

export function rowsOf(rows: readonly UsagePair[]): readonly Row[] {
  return merged(rows.map((row) => ({ ...row, model: labelOf(row.model), app: labelOf(row.app) })));
}

function changedLabels(pair: Row, safe: Row | undefined): number {
  return Number(pair.model !== safe?.model) + Number(pair.app !== safe?.app);
}

/**
 * One pair for each combination of labels: the amounts of duplicates are summed; their rates are dropped, because
 * rates do not add up.
 */
function merged(rows: readonly Row[]): readonly Row[] {
  const pairs = new Map<string, Row>();
  for (const pair of rows) {
    const identity = `${pair.model.length} ${pair.model}${pair.app}`;
    const twin = pairs.get(identity);
    pairs.set(identity, twin ? summed(twin, pair.amounts) : pair);
  }
  return [...pairs.values()];
}

function labelOf(text: string | null): string {
  return text === null || text === "" ? NONE : labelText(text);
}

function summed({ model, app, amounts }: Row, more: Amounts): Row {
  const sums: Partial<Record<Amount, number | undefined>> = {};
  for (const amount of AMOUNTS) {
    const known = [amounts[amount], more[amount]].filter((value) => value !== undefined);
    sums[amount] = known.length === 0 ? undefined : decimalSum(known);
  }
  return { model, app, amounts: sums, rates: NO_RATES };
}

/** Most expensive first, ties by requests and then by name, so that every run cuts at the same place. */
function byCredits(one: Row, other: Row): number {
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

/**
 * Credits spent in a window, before the pairs are cut, with everything that the answer shows to be missing. `byPair`:
 * the pairs were requested.
 */
export function windowSpend(window: Window, usage: Usage, byPair: boolean): WindowSpend {
  const { total } = usage;
  const credits = total?.empty ? 0 : total?.amounts.credits;
  const gap = gapOf(usage, credits);
  if (!byPair) return { window, credits, gap };
  const all = rowsOf(usage.pairs);
  const pairs = all.map(({ model, app, amounts }) => ({
    model,
    app,
    // A pair without requests has spent nothing, even if the service sends no amount.
    credits: amounts.credits ?? (amounts.requests === 0 ? 0 : undefined),
  }));
  return { window, credits, gap, breakdown: { pairs, gap: pairsGap(usage, all, credits) } };
}

/** Why the total may be wrong; undefined: nothing shows that. */
function gapOf({ total, creditsSource }: Usage, credits: number | undefined): SpendGap | undefined {
  const mayContainByok = creditsSource === "total" && credits !== 0;
  const reason = total?.gap ?? (mayContainByok ? "byok" : undefined);
  return reason && { reason, credits: undefined };
}

/** What the pairs lack; undefined: nothing, as far as the answer shows. */
function pairsGap(usage: Usage, pairs: readonly Row[], credits: number | undefined): SpendGap | undefined {
  const known = knownOf(pairs, "credits");
  const isSum = credits === undefined || isSumOf(credits, known);
  const missing = isSum ? undefined : decimalRest(credits, known);
  if (usage.truncated) return { reason: "cut", credits: missing };
  if (!hasAllRows(usage)) return { reason: "unreadable", credits: missing };
  if (missing !== undefined && missing > 0) return { reason: "unlisted", credits: missing };
  if (missing !== undefined && !isNewer(usage, pairs)) return { reason: "exceeding", credits: missing };
  if (usage.warnings > 0) return { reason: "warned", credits: undefined };
  return gapOf(usage, credits);
}

/** Whether the pairs contain requests that came after the total, which explains a smaller total. */
function isNewer({ total }: Usage, pairs: readonly Row[]): boolean {
  const requests = total?.amounts.requests;
  return requests === undefined || decimalSum(knownOf(pairs, "requests")) > requests;
}
