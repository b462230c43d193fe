import { budgetFamilies } from "../budgets/families.ts";
import type { BudgetConfig } from "../config/config.ts";
import type { BudgetGap, BudgetRow, SourceFault } from "./overview.ts";
import type { Family } from "../metrics/family.ts";
import type { Store } from "../readings/store.ts";
import type { PollStatus, Statuses } from "../readings/statuses.ts";
import { isSettled, periodName, type Window, windowOf } from "../time/window.ts";

/** How a budget stands, as `/metrics` shows it; whether what it adds up answers tells why something is missing. */
export function budgetRow(
  { name, team, scope, period, limit }: BudgetConfig,
  { store, statuses }: { readonly store: Store; readonly statuses: Statuses },
  nowMs: number,
): BudgetRow {
  const samples = store.visible(`budget/${name}`);
  const value = (family: Family) => samples.find((sample) => sample.family === family)?.value;
  const milliseconds = (family: Family) => {
    const seconds = value(family);
    return seconds === undefined ? undefined : seconds * 1000;
  };
  const targets =
    scope.kind === "keys" ? scope.names.map((key) => `key/${key}`) : [`analytics/${periodName(period)}`];
  const isComplete = value(budgetFamilies.complete) === 1;
  const gap = () =>
    gapOf(
      targets.map((target) => statuses.get(target)),
      windowOf(period, nowMs),
      nowMs,
    );
  return {
    name,
    team,
    scope,
    window: period.kind,
    windowStartMs: milliseconds(budgetFamilies.windowStart),
    windowEndMs: milliseconds(budgetFamilies.windowEnd),
    limit,
    spent: value(budgetFamilies.spent),
    gap: isComplete ? undefined : gap(),
  };
}

function gapOf(sources: readonly (PollStatus | undefined)[], window: Window, nowMs: number): BudgetGap {
  const faults: Record<SourceFault, number> = { failing: 0, waiting: 0, early: 0, old: 0 };
  for (const source of sources) {
    const fault = faultOf(source, window, nowMs);
    if (fault) faults[fault] += 1;
  }
  const failing = sources.find((source) => source?.up === false);
  return { sources: sources.length, faults, reason: failing?.failure?.reason };
}

function faultOf(source: PollStatus | undefined, window: Window, nowMs: number): SourceFault | undefined {
  if (source?.up === undefined) return "waiting";
  if (!source.up) return "failing";
  const { statement } = source;
  if (!statement || !isSettled(window, statement.askedAtMs)) return "early";
  return nowMs - statement.askedAtMs < statement.timeToLiveMs ? undefined : "old";
}
