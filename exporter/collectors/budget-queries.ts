import type { BudgetConfig } from "../config/config.ts";
import { type Period, periodName } from "../time/window.ts";

/** An analytics query that only budgets need. */
export interface BudgetQuery {
  readonly name: string;
  readonly period: Period;
  /** Whether a budget of a model or an app needs the pairs. */
  readonly pairs: boolean;
  /** Whether a budget of the account needs the total. */
  readonly total: boolean;
}

/** The queries for weeks and for totals since a date. Days and months are always queried. */
export function budgetQueries(budgets: readonly BudgetConfig[]): readonly BudgetQuery[] {
  const queries = new Map<string, BudgetQuery>();
  for (const { period, scope } of budgets) {
    if (scope.kind === "keys" || period.kind === "day" || period.kind === "month") continue;
    const name = periodName(period);
    const query = queries.get(name);
    const isAccount = scope.kind === "account";
    queries.set(name, {
      name,
      period,
      pairs: query?.pairs === true || !isAccount,
      total: query?.total === true || isAccount,
    });
  }
  return [...queries.values()];
}
