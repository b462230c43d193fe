import type { BudgetConfig } from "../config/config.ts";
import { nearestName } from "../nearest-name.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { budgetQueryName, spendOf } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { type Window, windowBefore, windowOf } from "../time/window.ts";

/**
 * The warning that a budget covers nothing, with the nearest name. Undefined if a row has the budget's name, or if rows
 * are missing. A model or an app may be too new for the window, so the last month must lack it as well. The last month is
 * not requested for other dimensions: they need a similar name as proof of a misspelling.
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
