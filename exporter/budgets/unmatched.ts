import type { BudgetConfig } from "../config/config.ts";
import { nearestName } from "../nearest-name.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { budgetQueryName, spendOf } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { type Window, windowBefore, windowOf } from "../time/window.ts";

/**
 * The warning that a budget covers nothing, with the nearest name: what it covers is in no row of its window, whose rows
 * are complete. A model or an app may merely be new, so it is in no row of the last month either; of other dimensions
 * that is not asked, so there must be a name that is similar. Undefined: it is in a row, or that is not known.
 */
export function unmatchedText(
  { name, scope, period }: BudgetConfig,
  readings: Pick<ReadingSource, "latest">,
  nowMs: number,
): string | undefined {
  if (!("label" in scope)) return undefined;
  const { kind, label } = scope;
  const hasPast = kind === "model" || kind === "app";
  const present = breakdownOf(readings, budgetQueryName(kind, period), windowOf(period, nowMs));
  const last = hasPast ? breakdownOf(readings, "last_month", windowBefore("month", nowMs)) : present;
  // An account without any spend in the last month is new.
  if (!present || !last || last.gap || last.pairs.length === 0) return undefined;
  const names = new Set(
    [...present.pairs, ...last.pairs].map((pair) => pair[kind === "app" ? "app" : "model"]),
  );
  const nearest = nearestName(label, [...names]);
  if (names.has(label) || (nearest === undefined && !hasPast)) return undefined;
  const advice =
    nearest === undefined ? "check its name" : `the nearest name is "${shownLabel(labelText(nearest))}"`;
  const when = hasPast ? ", neither now nor for the last month" : ` in this ${period.kind}`;
  return `Budget "${name}" covers nothing: the gateway reports no ${kind} "${label}"${when}; ${advice}`;
}

function breakdownOf(readings: Pick<ReadingSource, "latest">, query: string, window: Window) {
  const reading = readings.latest(targetId("analytics", query));
  const spend = reading && spendOf(reading).find((one) => one.window.startMs === window.startMs);
  return spend?.breakdown;
}
