import type { BudgetConfig } from "../config/config.ts";
import { budgetForecast, type BudgetSpend } from "../forecast/budget-forecast.ts";
import type { Forecast } from "../forecast/forecaster.ts";
import type { Forecasts } from "../forecast/forecasts.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import type { HistoryReading } from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { CREDITS, targetId } from "../readings/target-id.ts";
import { BUCKET_MS, periodName, type Window, windowBefore } from "../time/window.ts";
import { type BudgetStatus, limitOf } from "./budget-status.ts";

/** What the budget will have spent at the end of its window; undefined: unknown, or it has no end. */
export function windowForecast(
  { scope, period, part }: BudgetConfig,
  { window, spent, complete }: BudgetStatus,
  readings: Pick<ReadingSource, "latest">,
  nowMs: number,
): number | undefined {
  if (part || period.kind === "total" || spent === undefined || complete !== true) return undefined;
  const past = period.kind === "month" ? {} : previousSpend(scope, period.kind, window, readings, nowMs);
  return budgetForecast({ spent, ...past }, window, nowMs);
}

/** The window before, in the gateway's history: a day by its hours, a week by its days. Keys have no history here. */
function previousSpend(
  scope: BudgetConfig["scope"],
  kind: "day" | "week",
  { startMs }: Window,
  readings: Pick<ReadingSource, "latest">,
  nowMs: number,
): Partial<BudgetSpend> {
  if (scope.kind !== "model" && scope.kind !== "app" && scope.kind !== "account") return {};
  const [subject, granularity] = [
    scope.kind === "account" ? "total" : scope.kind,
    kind === "day" ? "hour" : "day",
  ] as const;
  const history = readings.latest(targetId("history", `${subject}-${granularity}`))?.value;
  const before = windowBefore(kind, nowMs);
  if (
    history?.kind !== "history" ||
    history.isLeast ||
    history.startMs > before.startMs ||
    history.dataMs < startMs
  )
    return {};
  const amounts = scope.kind === "account" ? [...history.names.values()][0] : history.names.get(scope.label);
  const spentUntil = (endMs: number) =>
    spentIn(history, amounts ?? [], BUCKET_MS[granularity], { ...before, endMs });
  return {
    previous: spentUntil(before.endMs),
    previousUntilNow: spentUntil(before.startMs + nowMs - startMs),
  };
}

/** What was spent in a part of an hour or a day counts as even. */
function spentIn(
  { startMs }: HistoryReading,
  amounts: readonly number[],
  bucketMs: number,
  part: Window,
): number {
  let credits = 0;
  for (const [index, amount] of amounts.entries()) {
    const from = startMs + index * bucketMs;
    const inside = Math.min(from + bucketMs, part.endMs) - Math.max(from, part.startMs);
    if (inside > 0) credits += (amount * inside) / bucketMs;
  }
  return credits;
}

/** How long a prepaid balance lasts; undefined: the budget is not a prepaid balance, or its spend is not known yet. */
export function balanceForecast(
  budget: BudgetConfig,
  status: BudgetStatus,
  readings: Pick<ReadingSource, "latest">,
  forecasts: Pick<Forecasts<unknown>, "of" | "ofBalance">,
): Forecast | undefined {
  const { name, scope, period } = budget;
  if (scope.kind !== "account" || period.kind !== "total") return undefined;
  if (budget.limit === "bought") return forecasts.of(CREDITS);
  const source = periodName(period);
  const { spent, complete } = status;
  const limit = limitOf(budget, status);
  const atMs = readings.latest(targetId("analytics", source))?.requestedAtMs;
  const isKnown = complete === true && spent !== undefined && limit !== undefined && atMs !== undefined;
  const reading = isKnown
    ? {
        atMs,
        usedCredits: spent,
        limitCredits: limit,
        remainingCredits: decimalRest(limit, [spent]),
        nextResetMs: "never" as const,
      }
    : undefined;
  return forecasts.ofBalance(targetId("budget", `${name} ${source}`), reading);
}
