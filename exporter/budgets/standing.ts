import type { Statement, WindowSpend } from "../collectors/collector.ts";
import type { BudgetConfig, BudgetScope } from "../config/config.ts";
import { isSettled, periodName, type Window, windowOf } from "../time/window.ts";
import { decimalSum } from "./decimal-sum.ts";

/** How a budget stands at an instant. */
export interface Standing {
  /** The window that holds the instant. */
  readonly window: Window;
  /** Undefined: nothing is known of the window. */
  readonly spent: number | undefined;
  /** Whether spent is all of it; else it is a lower bound, as far as no refund is missing. */
  readonly complete: boolean;
}

/** What is known of a target that is polled; undefined: nothing. */
export type LookUp = (target: string) => Source | undefined;

export interface Source {
  /** Whether the last poll succeeded. */
  readonly up: boolean | undefined;
  readonly statement: Statement | undefined;
}

/**
 * Adds up what the members of a budget last told of its window. A member that fails keeps its part, so that an alert does
 * not resolve because of an outage, and the budget is not complete.
 */
export function standingOf(budget: BudgetConfig, lookUp: LookUp, nowMs: number): Standing {
  const window = windowOf(budget.period, nowMs);
  const known: number[] = [];
  let complete = true;
  for (const target of targetsOf(budget)) {
    const share = shareOf(lookUp(target), budget.scope, window, nowMs);
    if (share.credits !== undefined) known.push(share.credits);
    complete &&= share.complete;
  }
  return { window, spent: known.length === 0 ? undefined : decimalSum(known), complete };
}

/** Keys tell of themselves; everything else is asked of the analytics, one query for each period. */
function targetsOf({ scope, period }: BudgetConfig): readonly string[] {
  if (scope.kind === "keys") return scope.names.map((name) => `key/${name}`);
  return [`analytics/${periodName(period)}`];
}

interface Share {
  readonly credits: number | undefined;
  readonly complete: boolean;
}

const UNKNOWN: Share = { credits: undefined, complete: false };

function shareOf(source: Source | undefined, scope: BudgetScope, window: Window, nowMs: number): Share {
  const statement = source?.statement;
  // What is told too soon after the window began may be of the one before.
  if (!statement || !isSettled(window, statement.askedAtMs)) return UNKNOWN;
  const spend = statement.spend.find((told) => isSame(told.window, window));
  if (!spend) return UNKNOWN;
  const told = partOf(spend, scope);
  const ageMs = nowMs - statement.askedAtMs;
  const isFresh = source.up === true && ageMs >= 0 && ageMs < statement.timeToLiveMs;
  return { credits: told.credits, complete: told.complete && isFresh };
}

function isSame(one: Window, other: Window): boolean {
  return one.startMs === other.startMs && one.endMs === other.endMs;
}

/** The part of what was spent that the budget is over. */
function partOf({ credits, breakdown }: WindowSpend, scope: BudgetScope): Share {
  if (scope.kind === "keys" || scope.kind === "account") return { credits, complete: credits !== undefined };
  if (!breakdown) return UNKNOWN;
  const matching = breakdown.pairs.filter((pair) => pair[scope.kind] === scope.label);
  const known = matching.flatMap((pair) => (pair.credits === undefined ? [] : [pair.credits]));
  const complete = breakdown.complete && known.length === matching.length;
  // Nothing found among all that there is: nothing was spent. Among a part of it: nothing is known.
  return { credits: known.length > 0 || complete ? decimalSum(known) : undefined, complete };
}
