import type { BudgetConfig, BudgetScope } from "../config/config.ts";
import type { FailureReason } from "../gateway/errors.ts";
import {
  type Reading,
  type SpendGap,
  spendOf,
  type WindowSpend,
  budgetQueryName,
} from "../readings/reading.ts";
import type { ReadingSource, TargetStatus } from "../readings/readings.ts";
import { CREDITS, type TargetId, targetId } from "../readings/target-id.ts";
import { isSameWindow, isSettled, type Window, windowOf } from "../time/window.ts";
import { decimalSum } from "../metrics/decimal-sum.ts";
import { unmatchedText } from "./unmatched.ts";
import { utcText } from "../time/utc-time.ts";

/** The status of a budget at an instant. */
export interface BudgetStatus {
  /** The window that contains the instant. */
  readonly window: Window;
  /** What the account has bought, if that is the limit; undefined: unknown. */
  readonly boughtCredits?: number | undefined;
  /** Undefined: the spend in the window is unknown. */
  readonly spent: number | undefined;
  /**
   * Whether `spent` is complete; otherwise it is a lower bound, unless a refund is missing. Undefined: the
   * window begins later.
   */
  readonly complete: boolean | undefined;
  /** The missing parts; undefined if complete, and before the window begins. */
  readonly gaps: BudgetGaps | undefined;
  /** Whether its model or app is in no row, so that its name may be misspelt. */
  readonly isUnmatched: boolean;
}

/** Why `spent` is incomplete. */
export interface BudgetGaps {
  /** Number of targets that the budget adds up: its keys, or its query. */
  readonly sources: number;
  /** Number of targets with each gap. */
  readonly counts: Readonly<Record<Gap, number>>;
  /** Failure reason of the first failing target. */
  readonly reason: FailureReason | undefined;
  /** What the first partial answer lacks. */
  readonly partial: SpendGap | undefined;
}

/**
 * Why the spend of one source is incomplete. Waiting: not polled yet. Failing: the last poll failed. Early: no answer
 * since the window settled. Old: no answer within its time to live. Partial: the answer is incomplete.
 */
export const GAPS = ["failing", "waiting", "early", "old", "partial"] as const;
export type Gap = (typeof GAPS)[number];

/**
 * Adds up what the sources of a budget spent in its window, from their last good readings. A failing source keeps its
 * part, so that an outage does not resolve an alert, and makes the budget incomplete.
 */
export function budgetStatus(
  budget: BudgetConfig,
  readings: Pick<ReadingSource, "status" | "latest" | "isCurrent">,
  nowMs: number,
): BudgetStatus {
  const window = windowOf(budget.period, nowMs);
  if (window.startMs > nowMs)
    return { window, spent: undefined, complete: undefined, gaps: undefined, isUnmatched: false };
  return {
    ...spendStatus(budget, readings, window),
    isUnmatched: unmatchedText(budget, readings, nowMs) !== undefined,
    ...boughtPart(budget, readings),
  };
}

function spendStatus(
  budget: BudgetConfig,
  readings: Pick<ReadingSource, "status" | "latest" | "isCurrent">,
  window: Window,
): Pick<BudgetStatus, "window" | "spent" | "complete" | "gaps"> {
  const targets = targetsOf(budget);
  const counts: Record<Gap, number> = { failing: 0, waiting: 0, early: 0, old: 0, partial: 0 };
  const known: number[] = [];
  let reason: FailureReason | undefined;
  let partial: SpendGap | undefined;
  let complete = true;
  for (const id of targets) {
    const [status, reading] = [readings.status(id), readings.latest(id)];
    const share = shareOf(reading, budget, window);
    if (share.credits !== undefined) known.push(share.credits);
    const gap =
      pollGap(status) ??
      readingGap(reading, window, readings.isCurrent(id)) ??
      (share.gap ? "partial" : undefined);
    if (gap === undefined) continue;
    complete = false;
    counts[gap] += 1;
    if (gap === "failing") reason ??= status?.failure?.reason;
    if (gap === "partial") partial ??= share.gap;
  }
  return {
    window,
    spent: known.length === 0 ? undefined : decimalSum(known),
    complete,
    gaps: complete ? undefined : { sources: targets.length, counts, reason, partial },
  };
}

/** The limit of a budget; undefined: it is what the account has bought, which is unknown. */
export function limitOf({ limit }: BudgetConfig, { boughtCredits }: BudgetStatus): number | undefined {
  return limit === "bought" ? boughtCredits : limit;
}

/**
 * A key reports its own spend; all other spend comes from the analytics, with one query for each period.
 */
function targetsOf({ scope, period, limit }: BudgetConfig): readonly TargetId[] {
  if (limit === "bought") return [CREDITS];
  if (scope.kind === "keys") return scope.names.map((name) => targetId("key", name));
  return [targetId("analytics", budgetQueryName(scope.kind, period))];
}

function pollGap(status: TargetStatus | undefined): Gap | undefined {
  if (status?.up === undefined) return "waiting";
  if (status.failure) return "failing";
  // A target that was not polled within its time to live is not up until its next poll, however long that time is then.
  return status.up ? undefined : "old";
}

/** An answer from shortly after the start of a window may still describe the previous one. */
function readingGap(reading: Reading | undefined, window: Window, isCurrent: boolean): Gap | undefined {
  if (!reading || !isSettled(window, reading.asOfMs)) return "early";
  return isCurrent ? undefined : "old";
}

/** The amount that a source contributes, and what it lacks. */
interface Share {
  readonly credits: number | undefined;
  readonly gap: SpendGap | undefined;
}

const UNKNOWN: Share = { credits: undefined, gap: { reason: "unknown", credits: undefined } };

function shareOf(reading: Reading | undefined, { scope, limit }: BudgetConfig, window: Window): Share {
  if (limit === "bought") return usedOf(reading);
  if (!reading || !isSettled(window, reading.asOfMs)) return UNKNOWN;
  const spend = spendOf(reading).find((one) => isSameWindow(one.window, window));
  return spend ? partOf(spend, scope) : UNKNOWN;
}

/** Limit and spend come from one answer, so that a purchase between two answers does not look like spend. */
function usedOf(reading: Reading | undefined): Share {
  return reading?.value?.kind === "credits"
    ? { credits: reading.value.usedCredits, gap: undefined }
    : UNKNOWN;
}

function boughtPart(
  { limit }: BudgetConfig,
  readings: Pick<ReadingSource, "latest">,
): Pick<BudgetStatus, "boughtCredits"> {
  if (limit !== "bought") return {};
  const value = readings.latest(CREDITS)?.value;
  return { boughtCredits: value?.kind === "credits" ? value.boughtCredits : undefined };
}

/** The share of the spend that the budget covers. A query by another dimension has its values in the place of models. */
function partOf({ credits, gap, breakdown }: WindowSpend, scope: BudgetScope): Share {
  if (scope.kind === "keys" || scope.kind === "account")
    return credits === undefined ? UNKNOWN : { credits, gap };
  if (!breakdown) return UNKNOWN;
  const matching = breakdown.pairs.filter(
    (pair) => pair[scope.kind === "app" ? "app" : "model"] === scope.label,
  );
  const known = matching.flatMap((pair) => (pair.credits === undefined ? [] : [pair.credits]));
  const missing = breakdown.gap ?? (known.length === matching.length ? undefined : UNKNOWN.gap);
  // Without a match, nothing was spent if the pairs are complete; otherwise the spend is unknown.
  return { credits: known.length > 0 || !missing ? decimalSum(known) : undefined, gap: missing };
}

/** A warning if a budget counts nothing yet, because its `since` is in the future; undefined: it has begun. */
export function beginsLater({ name, period }: BudgetConfig, nowMs: number): string | undefined {
  const { startMs } = windowOf(period, nowMs);
  if (startMs <= nowMs) return undefined;
  return `Budget "${name}" counts nothing until ${utcText(startMs)}, because its since is in the future`;
}
