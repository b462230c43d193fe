import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { promql, type Series } from "../promql.ts";

/** How an expression reads a series: the rules look back, panels choose jobs. */
type Read = (series: Series) => string;

const BY_SHARD = "by (job, gateway, budget, shard, shards)";
const BY_TOTAL = "by (job, gateway, budget, shards)";

/**
 * The spend of each budget. Its parts are added shard by shard, however many replicas each has; while shards
 * have different totals, the largest sum counts, because each is a lower bound.
 */
export function budgetSpent(read: Read): string {
  const parts = promql`sum ${BY_TOTAL} (max ${BY_SHARD} (${read(families.partSpent)}))`;
  return `max by (job, gateway, budget) (${read(families.spent)} or ${parts})`;
}

/** Whether that spend is complete: every part is known, and complete. */
export function budgetComplete(read: Read): string {
  const parts = promql`max ${BY_SHARD} (${read(families.partComplete)})`;
  const isWhole = promql`(count ${BY_TOTAL} (${parts}) == bool max ${BY_TOTAL} (${read(families.parts)}))`;
  return `max by (job, gateway, budget) (${read(families.complete)} or min ${BY_TOTAL} (${parts}) * ${isWhole})`;
}
