import { type Family, gauge, info } from "../metrics/family.ts";

function ofBudget(name: string, help: string, absent: string): Family<"budget"> {
  return gauge({ name: `aigateway_budget_${name}`, help, labels: ["budget"], absent });
}

/** Spend against the configured budgets, computed from the answers of the collectors. */
export const budgetFamilies = {
  info: info({
    name: "aigateway_budget_info",
    help: "Always 1 for every configured budget. The labels are its scope (keys, model, app or account), its window (day, week, month or total) and its team.",
    labels: ["budget", "scope", "window", "team"],
    absent: "never",
  }),
  limit: ofBudget(
    "limit_credits",
    "Credits that may be spent in the window (limit of the configuration).",
    "never",
  ),
  spent: ofBudget(
    "spent_credits",
    "Credits spent in the window so far, by everything that the budget covers. A lower bound while aigateway_budget_complete is 0.",
    "the spend is unknown: before the first answer, and from the start of the window until it is settled",
  ),
  complete: ofBudget(
    "complete",
    "Whether the spend is complete (1), or a part of it is missing or old (0), because a key cannot be polled or an answer is partial: the service has more rows than it sent, a row cannot be read, the rows of models and apps do not add up to the total, or the service warns about the query.",
    "never",
  ),
  windowStart: ofBudget(
    "window_start_timestamp_seconds",
    "When the current window began, seconds since the epoch. UTC; weeks begin on Monday.",
    "never",
  ),
  windowEnd: ofBudget(
    "window_end_timestamp_seconds",
    "When the current window ends, seconds since the epoch.",
    "the window is total, which has no end",
  ),
};
