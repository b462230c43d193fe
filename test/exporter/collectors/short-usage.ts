import type { Amounts, Rates, Usage, UsagePair } from "../../../exporter/gateway/port.ts";
import { amountsOf, NO_USAGE } from "../../support/fake-client.ts";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";

type Text = string | null;
export type More = Partial<Amounts & Rates>;
/** Model, app, credits, requests, further values. */
export type Short = readonly [Text, Text, number | undefined, number | undefined, More?];

function pair([model, app, credits, requests, more = {}]: Short): UsagePair {
  const { cacheHitRatio, latencyAvgSeconds, latencyP90Seconds, ...amounts } = more;
  return {
    model,
    app,
    amounts: amountsOf({ credits, requests, ...amounts }),
    rates: { cacheHitRatio, latencyAvgSeconds, latencyP90Seconds },
  };
}

export function usage(rows: readonly Short[], sum: Short | undefined, change: Partial<Usage> = {}): Usage {
  const amounts = sum && pair(sum).amounts;
  return {
    ...NO_USAGE,
    pairs: rows.map(pair),
    total: { amounts: amounts ?? amountsOf({}), empty: !amounts },
    ...change,
  };
}

/** The pairs, without unknown values. */
export function pairs(rows: readonly Short[], sum: Short | undefined, top = 2, change: Partial<Usage> = {}) {
  return breakdown(usage(rows, sum, change), top).pairs.map(({ model, app, amounts, rates }) => {
    const known = Object.entries({ ...amounts, ...rates }).filter(([, value]) => value !== undefined);
    return [model, app, Object.fromEntries(known)];
  });
}

/** A total: no labels, credits, requests. */
export function total(credits: number | undefined, requests: number | undefined, more: More = {}): Short {
  return [null, null, credits, requests, more];
}

export const A: Short = ["a", "x", 5, 10];
export const B: Short = ["b", "x", 3, 20];
export const C: Short = ["c", "y", 1, 30];
