import type { BudgetConfig } from "../config/config.ts";
import { spendOf } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { periodName, type Window, windowBefore, windowOf } from "../time/window.ts";

/**
 * Whether the model or app of a budget is in no row, neither in the present window nor in the last month,
 * whose rows are complete. Then its name may be misspelt. False if that is not known.
 */
export function isUnseen(
  { scope, period }: BudgetConfig,
  readings: Pick<ReadingSource, "latest">,
  nowMs: number,
): boolean {
  if (scope.kind === "keys" || scope.kind === "account") return false;
  const present = breakdownOf(readings, periodName(period), windowOf(period, nowMs));
  const past = breakdownOf(readings, "last_month", windowBefore("month", nowMs));
  // An account without any spend in the last month is new.
  if (!present || !past || past.gap || past.pairs.length === 0) return false;
  return ![...present.pairs, ...past.pairs].some((pair) => pair[scope.kind] === scope.label);
}

function breakdownOf(readings: Pick<ReadingSource, "latest">, query: string, window: Window) {
  const reading = readings.latest(targetId("analytics", query));
  const spend = reading && spendOf(reading).find((one) => one.window.startMs === window.startMs);
  return spend?.breakdown;
}
