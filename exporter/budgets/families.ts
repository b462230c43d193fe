import { type Family, gauge, info } from "../metrics/family.ts";

function ofBudget(name: string, help: string, absent: string): Family<"budget"> {
  return gauge({ name: `aigateway_budget_${name}`, help, labels: ["budget"], absent });
}

/** A series of one shard, with the number of shards among which the keys are divided. */
function ofPart(name: string, help: string, absent: string): Family<"budget" | "shard" | "shards"> {
  return gauge({ name: `aigateway_budget_${name}`, help, labels: ["budget", "shard", "shards"], absent });
}

/** Spend against the configured budgets, computed from the answers of the collectors. */
export const budgetFamilies = {
  info: info({
    name: "aigateway_budget_info",
    help: "Always 1 for every configured budget. The labels are its scope (keys, model, app, user, workspace, provider or account), its window (day, week, month or total) and its team.",
    labels: ["budget", "scope", "window", "team"],
  }),
  limit: ofBudget(
    "limit_credits",
    "Credits that may be spent in the window (limit of the configuration), or what the account has bought (limit bought).",
    "the limit is bought, and the gateway has not reported it yet",
  ),
  threshold: gauge({
    name: "aigateway_budget_threshold_ratio",
    help: "Share of the limit at which the spend of the budget is announced; at is the same in percent (at of the configuration).",
    labels: ["budget", "scope", "window", "team", "at"],
    absent: "the configuration has none",
  }),
  spent: ofBudget(
    "spent_credits",
    "Credits spent in the window so far, by everything that the budget covers. A lower bound while aigateway_budget_complete is 0, unless the service does not tell use of one's own provider keys (BYOK) apart.",
    "the spend is unknown: before the first answer, and from the start of the window until it is settled; the window begins later (since); or several shards poll the keys of the budget, and each shows its part",
  ),
  complete: ofBudget(
    "complete",
    "Whether the spend is complete (1), or a part of it is missing or old (0), because a key cannot be polled or was given another secret in the window, or an answer is partial: the service has more rows than it sent, a row cannot be read, the rows of models and apps do not add up to the total, the service warns about the query, or the amount may contain BYOK.",
    "the window begins later (since); or several shards poll the keys of the budget, and each shows its part",
  ),
  partSpent: ofPart(
    "part_spent_credits",
    "Credits spent in the window so far by the keys of the budget that this shard polls. Sum over shards of the same total: the spend of the budget.",
    "one shard polls all keys of the budget; the window begins later (since); before the first answer, and from the start of the window until it is settled",
  ),
  partComplete: ofPart(
    "part_complete",
    "Whether this shard's part of the spend is complete (1), or something of it is missing or old (0).",
    "one shard polls all keys of the budget, or the window begins later (since)",
  ),
  parts: gauge({
    name: "aigateway_budget_parts",
    help: "Number of shards that have a part of the budget. The spend is complete only if that many parts are known and complete.",
    labels: ["budget", "shards"],
    absent: "one shard polls all keys of the budget",
  }),
  windowStart: ofBudget(
    "window_start_timestamp_seconds",
    "When the current window began, or begins later (since), seconds since the epoch. UTC; weeks begin on Monday.",
    "the limit is bought, which has no start",
  ),
  windowEnd: ofBudget(
    "window_end_timestamp_seconds",
    "When the current window ends, seconds since the epoch.",
    "the window is total, which has no end",
  ),
};
