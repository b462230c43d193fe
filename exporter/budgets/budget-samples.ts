import type { BudgetConfig } from "../config/config.ts";
import type { Log } from "../log.ts";
import { type Sample, sample } from "../metrics/family.ts";
import { unmatchedText } from "./unmatched.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { balanceForecast, windowForecast } from "./budget-outlook.ts";
import { forecastFamilies } from "../forecast/families.ts";
import { forecastSamples } from "../forecast/forecast-samples.ts";
import type { Forecasts } from "../forecast/forecasts.ts";
import { beginsLater, type BudgetStatus, budgetStatus, limitOf } from "./budget-status.ts";
import { budgetFamilies as families } from "./families.ts";

export interface BudgetDependencies {
  readonly readings: Pick<ReadingSource, "status" | "latest" | "isCurrent">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly forecasts: Pick<Forecasts<unknown>, "of" | "ofBalance">;
}

/**
 * The samples of each budget, by target; computed from the readings on demand. The log gets one line about each budget
 * that begins later, and about each model or app that may be misspelt.
 */
export function budgetSources(
  budgets: readonly BudgetConfig[],
  { readings, clock, log, forecasts }: BudgetDependencies,
): ReadonlyMap<TargetId, () => readonly Sample[]> {
  const logged = new Set<BudgetConfig>();
  for (const budget of budgets) {
    const warning = beginsLater(budget, clock.now());
    if (warning !== undefined) log.warn({ budget: budget.name }, warning);
  }

  function samplesOf(budget: BudgetConfig): readonly Sample[] {
    const nowMs = clock.now();
    const status = budgetStatus(budget, readings, nowMs);
    const warning = logged.has(budget) ? undefined : unmatchedText(budget, readings, nowMs);
    if (warning !== undefined) {
      logged.add(budget);
      log.warn({ budget: budget.name }, warning);
    }
    const labels = { budget: budget.name };
    const balance = balanceForecast(budget, status, readings, forecasts);
    const forecast = windowForecast(budget, status, readings, nowMs);
    return [
      ...budgetSamples(budget, status),
      ...sample(forecastFamilies.budgetForecast, labels, forecast, status.window),
      ...(balance ? forecastSamples(OF_BALANCE, labels, balance) : []),
    ];
  }

  return new Map(budgets.map((budget) => [targetId("budget", budget.name), () => samplesOf(budget)]));
}

const OF_BALANCE = {
  outlook: forecastFamilies.budgetOutlook,
  exhaustion: forecastFamilies.budgetExhaustion,
};

/** The samples of one budget: its status and its configuration. */
function budgetSamples(budget: BudgetConfig, status: BudgetStatus): readonly Sample[] {
  const { name, scope, period, team, at = [] } = budget;
  const { window } = status;
  const labels = { budget: name };
  const about = { ...labels, scope: scope.kind, window: period.kind, team };
  return [
    ...sample(families.info, about, 1),
    ...at.flatMap((percent) => sample(families.threshold, { ...about, at: `${percent}` }, percent / 100)),
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
