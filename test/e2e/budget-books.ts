import type { Gateway } from "../gateway/gateway.ts";
import { DAY, dayStart, MONDAY, monthStart, weekStart } from "../gateway/windows.ts";
import { differences, seriesLike, type SeriesMap, seriesName } from "../support/series.ts";

/** A budget with its members, to be computed from the gateway's books. */
export interface ExpectedBudget {
  readonly name: string;
  readonly limit: number;
  readonly scope: "keys" | "model" | "app" | "account";
  readonly window: "day" | "week" | "month" | "total";
  /** Of a total. */
  readonly since?: number;
  readonly team?: string;
  /** Names of keys; the label of the model or app. */
  readonly members: readonly string[];
}

/**
 * Returns how the series of budgets differ from the books. Values must be equal to the last bit, with none missing
 * and none added.
 */
export function budgetProblems(
  series: SeriesMap,
  gateway: Gateway,
  budgets: readonly ExpectedBudget[],
  { settled = true }: { readonly settled?: boolean } = {},
): readonly string[] {
  const expected = budgets.flatMap((budget) => [...aboutBudget(gateway, budget, settled)]);
  return differences(seriesLike(series, /^aigateway_budget_/), new Map(expected));
}

/** Until the windows that began at the last midnight are settled, their budgets have no spend and are incomplete. */
function aboutBudget(gateway: Gateway, budget: ExpectedBudget, settled: boolean): Map<string, number> {
  const at = gateway.clock.now();
  const series = new Map<string, number>();
  const put = (metric: string, value: number, labels: Readonly<Record<string, string>> = {}): void =>
    void series.set(seriesName(`aigateway_budget_${metric}`, { budget: budget.name, ...labels }), value);
  const { scope, window, team = "" } = budget;
  const { start, end } = windowOf(budget, at);
  const isKnown = settled || start < dayStart(at);
  put("info", 1, { scope, window, team });
  put("limit_credits", budget.limit);
  put("complete", Number(isKnown));
  put("window_start_timestamp_seconds", start / 1000);
  if (end !== undefined) put("window_end_timestamp_seconds", end / 1000);
  if (isKnown) put("spent_credits", spentMicros(gateway, budget) / 1e6);
  return series;
}

/** Adds integers, to avoid binary fractions. */
export function spentMicros(gateway: Gateway, { scope, window, since, members }: ExpectedBudget): number {
  if (scope === "keys") {
    const figures = members.map((key) => gateway.books.key(key).micros.usage);
    return figures.reduce((sum, usage) => sum + usage[window], 0);
  }
  const { start } = windowOf({ window, ...(since !== undefined && { since }) }, gateway.clock.now());
  const { pairs, total } = gateway.books.analytics({ start, end: Number.POSITIVE_INFINITY });
  if (scope === "account") return total.integers.credits_usage;
  const matching = pairs.filter((pair) => members.includes((pair[scope] ?? "") || "_none"));
  return matching.reduce((sum, { integers }) => sum + integers.credits_usage, 0);
}

function windowOf(
  { window, since = 0 }: Pick<ExpectedBudget, "window" | "since">,
  at: number,
): { start: number; end: number | undefined } {
  switch (window) {
    case "day":
      return { start: dayStart(at), end: dayStart(at) + DAY };
    case "week":
      return { start: weekStart(at, MONDAY), end: weekStart(at, MONDAY) + 7 * DAY };
    case "month":
      return { start: monthStart(at), end: monthStart(at, 1) };
    case "total":
      return { start: since, end: undefined };
  }
}
