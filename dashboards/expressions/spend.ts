import { keyFamilies as families } from "../../exporter/collectors/key-families.ts";
import { promql, type Series } from "../promql.ts";
import { lookedAt, ofJob, ofTeam, perKey, type When } from "./scope.ts";

/** The day that begins at each step of a graph: the last value of that day, or the latest one so far. */
export const DAY_OF_STEP: When = { last: "1d", offset: "-1d" };

/** The spend of each key of the chosen teams in a window. */
export function spent(series: Series, when: When = {}): string {
  return ofTeam(perKey(lookedAt(ofJob(series), when)), when);
}

/** The total spend of the chosen teams in a window. */
export function totalSpent(series: Series, when: When = {}): string {
  return `sum${spent(series, when)}`;
}

/** Number of keys that a graph shows by name: those that spend most this month. */
const SHOWN = 9;
/** The last step of a graph is the beginning of today, so today lies ahead of it. */
const UNTIL_TODAY: When = { last: "2d", offset: "-1d", at: "end()" };
const spendingMost = `topk(${SHOWN}, sum by (key) ${spent(families.usageMonth, UNTIL_TODAY)})`;

/** Spend per day and key: the top spenders by name, and all others as one, so that the bars add up to the total. */
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

const MONTH_ELAPSED = "((day_of_month() - 1) * 86400 + time() % 86400)";

/**
 * Excludes the first ten minutes of a month: at midnight a graph's first step would still see the previous
 * month's last figure, because Prometheus looks back five minutes.
 */
const begun = promql`and on () ${MONTH_ELAPSED} > 600`;

/** Spend of this month so far. */
export const monthSoFar = promql`${totalSpent(families.usageMonth)} ${begun}`;

/** Total spend of last month: the last figure before the graph's range, which begins with this month. */
export const lastMonth = totalSpent(families.usageMonth, { last: "1d", at: "start()" });

const DAYS_BEFORE = "days_in_month(time() - 86400 * day_of_month())";

/** The spend as many days ago as the previous month had days, or all of it on a day that it did not have. */
const monthBefore = [
  ...[31, 30, 29, 28].map(
    (days) =>
      promql`(${totalSpent(families.usageMonth, { offset: `${days}d` })} and on () ${DAYS_BEFORE} == ${days} >= day_of_month())`,
  ),
  promql`(${lastMonth} and on () ${DAYS_BEFORE} < day_of_month())`,
].join("\nor ");

/** Spend of last month up to the same day and hour. */
export const samePointOfLastMonth = promql`(${monthBefore}) ${begun}`;

/** The keys that spend most this month. */
export const topKeys = promql`topk(10, sum by (key) ${spent(families.usageMonth)} > 0)`;
