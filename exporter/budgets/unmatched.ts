import type { BudgetConfig } from "../config/config.ts";
import { nearestName } from "../nearest-name.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { spendOf } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { periodName, type Window, windowBefore, windowOf } from "../time/window.ts";

/**
 * The warning that a budget covers nothing, with the nearest name: its model or app is in no row, neither in the present
 * window nor in the last month, whose rows are complete. Then its name may be misspelt. Undefined: it is in a row, or
 * that is not known.
 */
export function unmatchedText(
  { name, scope, period }: BudgetConfig,
  readings: Pick<ReadingSource, "latest">,
  nowMs: number,
): string | undefined {
  const axis = scope.kind === "model" || scope.kind === "app" ? scope.kind : undefined;
  if (!axis || !("label" in scope)) return undefined;
  const present = breakdownOf(readings, periodName(period), windowOf(period, nowMs));
  const past = breakdownOf(readings, "last_month", windowBefore("month", nowMs));
  // An account without any spend in the last month is new.
  if (!present || !past || past.gap || past.pairs.length === 0) return undefined;
  const names = new Set([...present.pairs, ...past.pairs].map((pair) => pair[axis]));
  if (names.has(scope.label)) return undefined;
  const nearest = nearestName(scope.label, [...names]);
  const advice =
    nearest === undefined ? "check its name" : `the nearest name is "${shownLabel(labelText(nearest))}"`;
  return `Budget "${name}" covers nothing: the gateway reports no ${scope.kind} "${scope.label}", neither now nor for the last month; ${advice}`;
}

function breakdownOf(readings: Pick<ReadingSource, "latest">, query: string, window: Window) {
  const reading = readings.latest(targetId("analytics", query));
  const spend = reading && spendOf(reading).find((one) => one.window.startMs === window.startMs);
  return spend?.breakdown;
}
