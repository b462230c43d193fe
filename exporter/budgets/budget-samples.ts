import type { BudgetConfig } from "../config/config.ts";
import { type Sample, sample } from "../metrics/family.ts";
import { budgetFamilies as families } from "./families.ts";
import type { Standing } from "./standing.ts";

/** What is shown of a budget: how it stands, and what is configured. */
export function budgetSamples(budget: BudgetConfig, standing: Standing): readonly Sample[] {
  const { name, scope, period, team } = budget;
  const { window, spent, complete } = standing;
  const about = { budget: name };
  return [
    ...sample(families.info, { ...about, scope: scope.kind, window: period.kind, team }, 1),
    ...sample(families.limit, about, budget.limit),
    ...sample(families.spent, about, spent, window),
    ...sample(families.complete, about, Number(complete), window),
    ...sample(families.windowStart, about, window.startMs / 1000, window),
    // A total has no end: infinite, which is no sample.
    ...sample(families.windowEnd, about, window.endMs / 1000, window),
  ];
}
