import type { BudgetConfig } from "../config/config.ts";
import { type Period, periodName } from "../time/window.ts";

/** An analytics query that only budgets need. It includes the total, which shows what the pairs lack. */
export interface BudgetQuery {
  readonly name: string;
  readonly period: Period;
  /** Whether a budget of a model or an app needs the pairs. */
  readonly pairs: boolean;
}

/** The queries for weeks and for totals since a date. Days and months are always queried. */
export function budgetQueries(budgets: readonly BudgetConfig[]): readonly BudgetQuery[] {
  const queries = new Map<string, BudgetQuery>();
  for (const { period, scope, limit } of budgets) {
    if (limit === "bought") continue;
    if (scope.kind === "keys" || period.kind === "day" || period.kind === "month") continue;
    const name = periodName(period);
    const query = queries.get(name);
    queries.set(name, { name, period, pairs: query?.pairs === true || scope.kind !== "account" });
  }
  return [...queries.values()];
}
