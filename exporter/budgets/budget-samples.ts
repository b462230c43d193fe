import type { BudgetConfig } from "../config/config.ts";
import { type Sample, sample } from "../metrics/family.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { type BudgetStatus, budgetStatus } from "./budget-status.ts";
import { budgetFamilies as families } from "./families.ts";

/** The samples of each budget, by target; computed from the readings on demand. */
export function budgetSources(
  budgets: readonly BudgetConfig[],
  readings: Pick<ReadingSource, "status" | "latest" | "isCurrent">,
  clock: Pick<Clock, "now">,
): ReadonlyMap<TargetId, () => readonly Sample[]> {
  return new Map(
    budgets.map((budget) => [
      targetId("budget", budget.name),
      () => budgetSamples(budget, budgetStatus(budget, readings, clock.now())),
    ]),
  );
}

/** The samples of one budget: its status and its configuration. */
function budgetSamples(budget: BudgetConfig, status: BudgetStatus): readonly Sample[] {
  const { name, scope, period, team } = budget;
  const { window, spent, complete } = status;
  const labels = { budget: name };
  return [
    ...sample(families.info, { ...labels, scope: scope.kind, window: period.kind, team }, 1),
    ...sample(families.limit, labels, budget.limit),
    ...sample(families.spent, labels, spent, window),
    ...sample(families.complete, labels, complete, window),
    ...sample(families.windowStart, labels, window.startMs / 1000, window),
    // A total has no end, so it has no sample.
    ...sample(families.windowEnd, labels, window.endMs / 1000, window),
  ];
}
