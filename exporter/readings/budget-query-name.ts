import { type Period, periodName } from "../time/window.ts";

/** The name of the analytics query that has the spend of budgets of a scope: by model and app, or by another dimension. */
export function budgetQueryName(scope: string, period: Period): string {
  const isOther = scope !== "model" && scope !== "app" && scope !== "account";
  return isOther ? `${periodName(period)}_${scope}` : periodName(period);
}
