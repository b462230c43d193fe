import { type Amounts, NO_AMOUNTS, type Total } from "../gateway/port.ts";
import { decimalRest, decimalSum, isSumOf } from "../metrics/decimal-sum.ts";

/** What a report counts; an amount is undefined where the gateway has no value. */
export const REPORT_AMOUNTS = ["credits", "byokCredits", "requests", "tokens"] as const;
export type ReportAmount = (typeof REPORT_AMOUNTS)[number];

export interface ReportAmounts extends Readonly<Record<ReportAmount, number | undefined>> {
  /** In the currency of `credit_value`; undefined without that section. */
  readonly cost: number | undefined;
}

/** The amounts of a gateway's row, with the cost of its credits at a price. */
export function pricedAmounts(amounts: Amounts, price: number | undefined): ReportAmounts {
  const { credits, byokCredits, requests, tokens } = amounts;
  const cost = credits === undefined || price === undefined ? undefined : product(credits, price);
  return { credits, byokCredits, requests, tokens, cost };
}

/** The amounts of a total: 0 if nothing was used, unknown if that is not certain. */
export function totalAmounts(total: Total | undefined, price: number | undefined): ReportAmounts {
  const isNone = total?.empty === true && total.gap === undefined;
  return pricedAmounts(isNone ? NOTHING_USED : (total?.amounts ?? NO_AMOUNTS), price);
}

const NOTHING_USED: Amounts = { ...NO_AMOUNTS, credits: 0, byokCredits: 0, requests: 0, tokens: 0 };

/** What a gateway has forgotten. */
export const UNKNOWN_AMOUNTS: ReportAmounts = pricedAmounts(NO_AMOUNTS, undefined);

/** The exact sums. One that lacks a part is undefined. */
export function sumOf(parts: readonly ReportAmounts[]): ReportAmounts {
  return each((name) => {
    const known = parts.flatMap((part) => part[name] ?? []);
    return known.length === parts.length ? decimalSum(known) : undefined;
  });
}

/** What is left of a total. Parts without a value are part of the rest. */
export function restOf(total: ReportAmounts, parts: readonly ReportAmounts[]): ReportAmounts {
  return each((name) => {
    const whole = total[name];
    const known = parts.flatMap((part) => part[name] ?? []);
    if (whole === undefined) return undefined;
    return isAll(name, whole, known) ? 0 : decimalRest(whole, known);
  });
}

/** A service may add up binary fractions, and each cost is rounded: such errors are no rest. */
function isAll(name: keyof ReportAmounts, whole: number, parts: readonly number[]): boolean {
  if (name !== "cost") return isSumOf(whole, parts);
  const size = parts.reduce((added, part) => added + Math.abs(part), Math.abs(whole));
  return Math.abs(decimalRest(whole, parts)) <= COST_ERROR * size;
}

/** The error of a cost of 15 digits, as a share of it. */
const COST_ERROR = 1e-14;

export function isNothing(amounts: ReportAmounts): boolean {
  return [...REPORT_AMOUNTS, "cost" as const].every((name) => (amounts[name] ?? 0) === 0);
}

function each(of: (name: keyof ReportAmounts) => number | undefined): ReportAmounts {
  return {
    credits: of("credits"),
    byokCredits: of("byokCredits"),
    requests: of("requests"),
    tokens: of("tokens"),
    cost: of("cost"),
  };
}

/** Rounded to 15 significant digits, which removes the binary rounding error for all usual prices. */
function product(credits: number, price: number): number {
  return Number((credits * price).toPrecision(15));
}
