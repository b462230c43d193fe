import type { Series } from "../promql.ts";

function ofBudget(name: string): Series<"job" | "gateway" | "budget"> {
  return { name: `budget:aigateway_${name}`, labels: ["job", "gateway", "budget"] };
}

function ofBurn(name: string): Series<"job" | "gateway" | "key" | "window"> {
  return { name: `key:aigateway_burn_credits_per_hour:${name}`, labels: ["job", "gateway", "key", "window"] };
}

/** The series of the recording rules. */
export const recorded = {
  /** The fastest rates of each hour, and of a week of such hours. */
  burnOfHour: ofBurn("max1h"),
  burnOfWeek: ofBurn("max7d"),
  /** The spend over all shards, and whether all of it is known. */
  budgetSpent: ofBudget("spent_credits:sum"),
  budgetComplete: ofBudget("complete:min"),
} as const;
