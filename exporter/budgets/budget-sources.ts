import type { Clock } from "../time/clock.ts";
import type { BudgetConfig } from "../config/config.ts";
import type { Sample } from "../metrics/family.ts";
import { budgetSamples } from "./budget-samples.ts";
import { type LookUp, standingOf } from "./standing.ts";

/** What to show of each budget, by target; made when it is looked at, from what the members told last. */
export function budgetSources(
  budgets: readonly BudgetConfig[],
  lookUp: LookUp,
  clock: Pick<Clock, "now">,
): ReadonlyMap<string, () => readonly Sample[]> {
  return new Map(
    budgets.map((budget) => [
      `budget/${budget.name}`,
      () => budgetSamples(budget, standingOf(budget, lookUp, clock.now())),
    ]),
  );
}
