import type { Owner } from "../config/config.ts";
import { decimalSum } from "../metrics/decimal-sum.ts";
import type { ListedName } from "../readings/listed-name.ts";
import type { KeyReading, PairUsage } from "../readings/reading.ts";
import type { ShownReading } from "../readings/learnt.ts";
import type { ReadingSource, TargetStatus } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import { type WindowKind, windowAt } from "../time/window.ts";

/** The outcome of a target's runs. */
export interface TargetRow {
  readonly name: string;
  /** Waiting: no run has ended yet. Down: the last run failed, or it was too long ago, and then there is no failure. */
  readonly state: "up" | "down" | "waiting";
  /** Why the last run failed. */
  readonly failure: { readonly reason: string; readonly message: string } | undefined;
  readonly lastSuccessMs: number | undefined;
  /** The unusable part of the last good answer. Absent if all of it could be used. */
  readonly warning?: string | undefined;
}

export function targetRow(name: string, status: TargetStatus | undefined): TargetRow {
  const state = status?.up === undefined ? "waiting" : status.up ? "up" : "down";
  return {
    name,
    state,
    failure: status?.failure,
    lastSuccessMs: status?.lastSuccessMs,
    warning: status?.warning,
  };
}

/** Amounts are credits; undefined means unknown. */
export interface KeyRow extends TargetRow {
  /** Under which its readings are kept. */
  readonly id: TargetId;
  /** Empty if neither the configuration nor the name of a listed key names one. */
  readonly owner: Owner;
  readonly limit: number | "unlimited" | undefined;
  /** Whether the limit is the one that the configuration mirrors. */
  readonly isLimitMirrored?: boolean | undefined;
  /** 0 or negative when the limit is used up. */
  readonly remaining: number | undefined;
  readonly reset: KeyReading["limitReset"];
  readonly nextResetMs: number | undefined;
  readonly day: number | undefined;
  readonly week: number | undefined;
  readonly month: number | undefined;
  readonly total: number | undefined;
  readonly expiryMs: number | undefined;
  /** The key is not polled: a list of the account shows it. */
  readonly isListed?: boolean;
  /** The polls of the key have no current answer: the figures are those of a list of the account. */
  readonly isFromList?: boolean;
  /** The gateway refuses the key; only a list shows that. */
  readonly isDisabled?: boolean;
}

/** A key that only a list of the account shows. */
export function listedKeyRow(hash: string, { name, owner }: ListedName, readings: ReadingSource): KeyRow {
  const id = targetId("listed", hash);
  const shown = readings.shown(id);
  const isDisabled = shown?.value?.kind === "key" && shown.value.isDisabled === true;
  return { ...keyRowOf({ id, name, owner }, readings, shown), isListed: true, isDisabled };
}

/** A key with the outcome of its own runs and the figures of a reading. */
export function keyRowOf(
  { id, name, owner }: Pick<KeyRow, "id" | "name" | "owner">,
  readings: ReadingSource,
  shown: ShownReading | undefined,
): KeyRow {
  const row = targetRow(name, readings.status(id));
  if (shown?.value?.kind !== "key") return { id, ...row, owner, ...NO_KEY_FIGURES };
  return answeredRow(id, row, owner, shown, shown.value);
}

/** Made in one piece, because a page may need ten thousand of them. */
function answeredRow(
  id: TargetId,
  { name, state, failure, lastSuccessMs, warning }: TargetRow,
  owner: Owner,
  shown: ShownReading,
  {
    limitCredits,
    limitReset,
    remainingCredits,
    usage,
    expiresAtMs,
    limitWindow,
    isLimitMirrored,
  }: KeyReading,
): KeyRow {
  const isUnlimited = limitCredits === null;
  const isLimitWindowShown = !isUnlimited && (limitWindow === undefined || shown.shows(limitWindow));
  const hasKnownReset = limitReset !== undefined && limitReset !== "other";
  const spent = (kind: WindowKind) =>
    shown.shows(windowAt(kind, shown.askedAtMs)) ? usage[kind] : undefined;
  return {
    id,
    name,
    state,
    failure,
    lastSuccessMs,
    warning,
    owner,
    limit: isUnlimited ? "unlimited" : limitCredits,
    isLimitMirrored,
    remaining: isLimitWindowShown ? (remainingCredits ?? undefined) : undefined,
    reset: limitReset,
    nextResetMs: isLimitWindowShown && hasKnownReset ? limitWindow?.endMs : undefined,
    day: spent("day"),
    week: spent("week"),
    month: spent("month"),
    total: usage.total,
    expiryMs: expiresAtMs,
  };
}

const NO_KEY_FIGURES = {
  limit: undefined,
  remaining: undefined,
  reset: undefined,
  nextResetMs: undefined,
  day: undefined,
  week: undefined,
  month: undefined,
  total: undefined,
  expiryMs: undefined,
};

/** The queries whose pairs the page shows, in its order. */
export const QUERY_NAMES = ["day", "last_day", "month", "last_month"] as const;

/** One query of the analytics. Amounts are credits; undefined means unknown. */
export interface QueryRow extends TargetRow {
  readonly windowStartMs: number | undefined;
  /** The end of the data: nothing later is included. */
  readonly dataMs: number | undefined;
  readonly credits: number | undefined;
  readonly requests: number | undefined;
  /** Whether the credits, if known, are a lower bound: the answer has no complete total of them. */
  readonly isLeast?: boolean | undefined;
  /** The same for the requests. */
  readonly isRequestsLeast?: boolean | undefined;
  /** The most expensive pairs, `_other` last. */
  readonly pairs: readonly PairRow[];
  /** Pairs of the answer that are part of `_other`. */
  readonly foldedPairs: number | undefined;
  /** Whether the gateway has more pairs than it sent. */
  readonly truncated: boolean | undefined;
  /** Whether the pairs add up to more than the total. */
  readonly exceedsTotal: boolean | undefined;
}

export interface PairRow {
  readonly model: string;
  readonly app: string;
  readonly credits: number;
}

/** The credits of a window, unless they are unknown or a lower bound: only then is a part of them a share. */
export function wholeCredits({ credits, isLeast }: QueryRow): number | undefined {
  return isLeast ? undefined : credits;
}

/** Whether it is what no pair has a name for. */
export function isOther({ model, app }: Pick<PairRow, "model" | "app">): boolean {
  return model === "_other" && app === "_other";
}

export function queryRow(name: string, readings: ReadingSource): QueryRow {
  const id = targetId("analytics", name);
  return { ...targetRow(name, readings.status(id)), ...queryFigures(readings.shown(id)) };
}

type QueryFigures = Omit<QueryRow, keyof TargetRow>;

function queryFigures(reading: ShownReading | undefined): QueryFigures {
  if (reading?.value?.kind !== "usage" || !reading.shows(reading.value.window)) return NO_QUERY_FIGURES;
  const { range, dataMs, credits, requests, pairs, foldedPairs, truncated, exceedsTotal } = reading.value;
  const { isTotalPartial = false } = reading.value;
  const sums = {
    credits: credits === undefined ? sum(pairs, "credits") : undefined,
    requests: requests === undefined ? sum(pairs, "requests") : undefined,
  };
  return {
    windowStartMs: range.startMs,
    dataMs,
    credits: credits ?? sums.credits,
    requests: requests ?? sums.requests,
    // Nothing shows whether the pairs are all of the spend.
    ...((isTotalPartial || sums.credits !== undefined) && { isLeast: true }),
    ...((isTotalPartial || sums.requests !== undefined) && { isRequestsLeast: true }),
    pairs: pairs.flatMap(({ model, app, credits: amount }) =>
      amount === undefined ? [] : { model, app, credits: amount },
    ),
    foldedPairs,
    truncated,
    exceedsTotal,
  };
}

const NO_QUERY_FIGURES: QueryFigures = {
  windowStartMs: undefined,
  dataMs: undefined,
  credits: undefined,
  requests: undefined,
  pairs: [],
  foldedPairs: undefined,
  truncated: undefined,
  exceedsTotal: undefined,
};

/** The sum of no amounts is unknown, not 0. */
function sum(pairs: readonly PairUsage[], amount: "credits" | "requests"): number | undefined {
  const known = pairs.flatMap((pair) => pair[amount] ?? []);
  return known.length === 0 ? undefined : decimalSum(known);
}
