import type { Truth } from "./check-keys.ts";
import { GRACE_MS } from "./check-keys.ts";
import { dayStart, FIGURES, windowStart } from "./figures.ts";
import type { Scrape } from "./scrape.ts";

/** A budget over keys, and the figure that it sums. */
export interface KeyBudget {
  readonly name: string;
  readonly window: "day" | "month";
  readonly members: readonly string[];
}

/**
 * The problems of budgets and analytics. Spend only grows here, so a value of the last time to live lies
 * between the books then and now. An incomplete budget is a lower bound.
 */
export function wrongSums(scrape: Scrape, truth: Truth, budgets: readonly KeyBudget[]): readonly string[] {
  return [
    ...budgets.flatMap((budget) => budgetProblem(budget, scrape, truth)),
    ...usageProblem(scrape, truth),
  ];
}

function budgetProblem(budget: KeyBudget, scrape: Scrape, truth: Truth): string[] {
  const shown = scrape.budgets.get(budget.name);
  const spent = shown?.get("spent_credits");
  if (spent === undefined) return [];
  const oldestMs = scrape.sentMs - truth.timeToLiveMs - GRACE_MS;
  const begunMs = windowStart(budget.window, null, scrape.sentMs);
  const metric = `usage_${budget.window}_credits`;
  const index = FIGURES.findIndex((figure) => figure.metric === metric);
  let [least, most] = [0, 0];
  for (const key of budget.members) {
    const states = truth.history.states(key, oldestMs, scrape.receivedMs) ?? [];
    const ofWindow = states.filter(({ until }) => until > begunMs);
    if (!truth.away.has(key)) least += ofWindow[0]?.figures[index] ?? 0;
    most += ofWindow.at(-1)?.figures[index] ?? 0;
  }
  if (shown?.get("complete") !== 1) least = 0;
  return between(`budget ${budget.name}`, spent, least, most);
}

function usageProblem(scrape: Scrape, { history, analyticsTimeToLiveMs }: Truth): string[] {
  const spent = scrape.usage.get("aigateway_usage_day_credits");
  if (spent === undefined) return [];
  const oldestMs = scrape.sentMs - analyticsTimeToLiveMs - GRACE_MS;
  const least = dayStart(oldestMs) === dayStart(scrape.sentMs) ? history.dayMicros(oldestMs) / 1e6 : 0;
  return between("aigateway_usage_day_credits", spent, least, history.dayMicros(scrape.receivedMs) / 1e6);
}

/** Sums of many decimal fractions are inexact in their last digits. */
function between(what: string, value: number, least: number, most: number): string[] {
  const slack = 1e-9 * Math.max(1, most);
  if (value >= least - slack && value <= most + slack) return [];
  return [`${what} is ${value}, wanted ${least} to ${most}`];
}
