import { usageFamiliesOf } from "../../exporter/collectors/analytics-families.ts";
import { promql, type Series } from "../promql.ts";
import { lookedAt, ofJob, type When } from "./scope.ts";
import { DAY_OF_STEP } from "./spend.ts";
import { unwatchedFamilies } from "../../exporter/collectors/account-families.ts";

const perAccount = (series: Series, when: When = {}) =>
  `max by (job, gateway) (${lookedAt(ofJob(series), when)})`;

/** The sum over the chosen accounts, whichever processes report them. */
export function ofAccount(series: Series): string {
  return `sum(${perAccount(series)})`;
}

const totalPerAccount = (series: Series, when: When = {}) =>
  `sum by (job, gateway) (max by (job, gateway, model, app) (${lookedAt(ofJob(series), when)}))`;

const monthTotals = totalPerAccount(usageFamiliesOf.month.credits);
const monthUnwatched = perAccount(unwatchedFamilies.month);

/** What the chosen accounts have spent this month. */
export const monthTotal = `sum(${monthTotals})`;

/** Only of accounts whose unwatched spend is known, because the others would count as watched. */
export const unwatchedShare = promql`
  sum(${monthUnwatched} and on (job, gateway) ${monthTotals})
  / (sum(${monthTotals} and on (job, gateway) ${monthUnwatched}) > 0)`;

/**
 * Two hours after the end of the day that begins at a step: late rows have arrived, and all pairs come from
 * one answer.
 */
const dayTotals = totalPerAccount(usageFamiliesOf.last_day.credits, { last: "10m", offset: "-1d2h" });
const dayUnwatched = perAccount(unwatchedFamilies.day, DAY_OF_STEP);

/** Spend per full day, divided by whether anybody watches it, or not divided for accounts where that is not known. */
export const spendPerDay = {
  watched: promql`sum(clamp_min(${dayTotals} - on (job, gateway) ${dayUnwatched}, 0))`,
  unwatched: promql`sum(${dayUnwatched} and on (job, gateway) ${dayTotals})`,
  undivided: promql`sum(${dayTotals} unless on (job, gateway) ${dayUnwatched})`,
};
