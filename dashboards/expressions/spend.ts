import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { promql, type Series } from "../promql.ts";
import { thresholds } from "../thresholds.ts";
import { lookedAt, ofJob, ofTeam, perKey, type When } from "./scope.ts";

/** The day that begins at each step of a graph: the last value before its end, or what there is of it so far. */
export const DAY_OF_STEP: When = { last: "1d", offset: "-1d" };

/** What the keys of the chosen teams have spent in a window, each. */
export function spent(series: Series, when: When = {}): string {
  return ofTeam(perKey(lookedAt(ofJob(series), when)), when);
}

/** In all. */
export function totalSpent(series: Series, when: When = {}): string {
  return `sum${spent(series, when)}`;
}

/** How many keys a graph shows by name: those that spend most this month. */
const SHOWN = 9;
const spendingMost = `topk(${SHOWN}, sum by (key) ${spent(families.usageMonth, { last: "1d", at: "end()" })})`;

/** Per day and key: those that spend most by name, all others together, so that it adds up. */
export const spendPerDay = {
  shown: promql`
    sum by (key) (
      ${spent(families.usageDay, DAY_OF_STEP)}
      and on (key) ${spendingMost}
    )`,
  others: promql`
    sum (
      ${spent(families.usageDay, DAY_OF_STEP)}
      unless on (key) ${spendingMost}
    ) > 0`,
};

const MONTH_SECONDS = "(days_in_month() * 86400)";
const MONTH_ELAPSED = "((day_of_month() - 1) * 86400 + time() % 86400)";

/** At the month's mean pace until its end; withheld in its first tenth, as that of budgets is. */
export const forecastOfMonth = promql`
  ${totalSpent(families.usageMonth)}
  * ${MONTH_SECONDS}
  / (${MONTH_ELAPSED} > ${thresholds.forecastAfter} * ${MONTH_SECONDS})`;

/**
 * Not in the first minutes: a graph's first step, at midnight, would still see the last figure of the month before, as
 * Prometheus looks back for five minutes.
 */
const begun = promql`and on () ${MONTH_ELAPSED} > 600`;

/** This month so far. */
export const monthSoFar = promql`${totalSpent(families.usageMonth)} ${begun}`;

/** As many days ago as the last month had. */
const monthBefore = [31, 30, 29, 28]
  .map(
    (days) =>
      promql`(${totalSpent(families.usageMonth, { offset: `${days}d` })} and on () days_in_month(time() - 86400 * day_of_month()) == ${days})`,
  )
  .join("\nor ");

/** Last month at the same day and hour. */
export const samePointOfLastMonth = promql`(${monthBefore}) ${begun}`;

/** What the last month came to, as last seen before the start of the graph's range, which is the month's. */
export const lastMonth = totalSpent(families.usageMonth, { last: "1d", at: "start()" });

/** The keys that spend most, this month so far. */
export const topKeys = promql`topk(10, sum by (key) ${spent(families.usageMonth)} > 0)`;
