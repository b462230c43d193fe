import type { BudgetConfig } from "../config/config.ts";
import type { Log } from "../log.ts";
import { type Sample, sample } from "../metrics/family.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { beginsLater } from "./begins-later.ts";
import { type BudgetStatus, budgetStatus, limitOf } from "./budget-status.ts";
import { budgetFamilies as families } from "./families.ts";

export interface BudgetDependencies {
  readonly readings: Pick<ReadingSource, "status" | "latest" | "isCurrent">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
}

/**
 * The samples of each budget, by target; computed from the readings on demand. The log gets one line about each budget
 * that begins later, and about each model or app that may be misspelt.
 */
export function budgetSources(
  budgets: readonly BudgetConfig[],
  { readings, clock, log }: BudgetDependencies,
): ReadonlyMap<TargetId, () => readonly Sample[]> {
  const logged = new Set<BudgetConfig>();
  for (const budget of budgets) {
    const warning = beginsLater(budget, clock.now());
    if (warning !== undefined) log.warn({ budget: budget.name }, warning);
  }

  function samplesOf(budget: BudgetConfig): readonly Sample[] {
    const status = budgetStatus(budget, readings, clock.now());
    if (status.isUnseen && !logged.has(budget)) {
      logged.add(budget);
      log.warn({ budget: budget.name }, unseenText(budget));
    }
    return budgetSamples(budget, status);
  }

  return new Map(budgets.map((budget) => [targetId("budget", budget.name), () => samplesOf(budget)]));
}

function unseenText({ name, scope }: BudgetConfig): string {
  const what = "label" in scope ? `${scope.kind} "${scope.label}"` : "";
  return `Budget "${name}" covers nothing: the gateway reports no ${what}, neither now nor for the last month; check its name`;
}

/** The samples of one budget: its status and its configuration. */
function budgetSamples(budget: BudgetConfig, status: BudgetStatus): readonly Sample[] {
  const { name, scope, period, team } = budget;
  const { window } = status;
  const labels = { budget: name };
  return [
    ...sample(families.info, { ...labels, scope: scope.kind, window: period.kind, team }, 1),
    ...sample(families.limit, labels, limitOf(budget, status)),
    ...spendSamples(budget, status),
    // Purchases cover all time, so there is no start.
    ...(budget.limit === "bought" ? [] : sample(families.windowStart, labels, window.startMs / 1000, window)),
    // A total has no end, so it has no sample.
    ...sample(families.windowEnd, labels, window.endMs / 1000, window),
  ];
}

/** The spend under other names if it is a part, so that nobody takes it for the whole. */
function spendSamples({ name, part }: BudgetConfig, { window, spent, complete }: BudgetStatus) {
  if (!part) {
    const labels = { budget: name };
    return [
      ...sample(families.spent, labels, spent, window),
      ...sample(families.complete, labels, complete, window),
    ];
  }
  const total = { budget: name, shards: String(part.total) };
  const labels = { ...total, shard: String(part.ordinal) };
  return [
    ...sample(families.partSpent, labels, spent, window),
    ...sample(families.partComplete, labels, complete, window),
    ...sample(families.parts, total, part.parts),
  ];
}
