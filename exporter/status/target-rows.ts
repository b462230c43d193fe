import type { Owner } from "../config/config.ts";
import { decimalSum } from "../metrics/decimal-sum.ts";
import type { Forecast } from "../forecast/forecaster.ts";
import type { KeyLayer, KeyReading, PairUsage, UnwatchedReading } from "../readings/reading.ts";
import type { Failure, ReadingSource, TargetStatus } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";

/** The outcome of a target's runs. */
export interface TargetRow {
  readonly name: string;
  /** Waiting: no run has ended yet. Down: the last run failed, or it was too long ago, and then there is no failure. */
  readonly state: "up" | "down" | "waiting";
  /** Why the last run failed. */
  readonly failure: (Pick<Failure, "message" | "cause"> & { readonly reason: string }) | undefined;
  readonly lastSuccessMs: number | undefined;
  /** The unusable part of the last good answer. Absent if all of it could be used. */
  readonly warning?: string | undefined;
}

export function targetRow(name: string, status: TargetStatus | undefined): TargetRow {
  return {
    name,
    state: stateOf(status),
    failure: status?.failure,
    lastSuccessMs: status?.lastSuccessMs,
    warning: status?.warning,
  };
}

export function stateOf(status: TargetStatus | undefined): TargetRow["state"] {
  return status?.up === undefined ? "waiting" : status.up ? "up" : "down";
}

/** How soon calls fail, the most urgent first. */
export const URGENCIES = ["stopped", "hour", "day", "week"] as const;
export type Urgency = (typeof URGENCIES)[number];

/** Why calls fail, or will. */
export interface Danger {
  readonly urgency: Urgency;
  readonly why: "refused" | "expired" | "used-up" | "runs-out" | "expires" | "scarce";
  /** When that was, or will be; undefined: unknown. */
  readonly atMs?: number | undefined;
  /** What ends for other keys as well: `account`, or the id of a budget. Absent: it is the key’s own. */
  readonly shared?: string | undefined;
}

/** Amounts are credits; undefined means unknown. */
export interface KeyRow extends TargetRow {
  /** Under which its readings are kept. */
  readonly id: TargetId;
  /** Empty if neither the configuration nor the name of a listed key names one. */
  readonly owner: Owner;
  readonly limit?: number | "unlimited" | undefined;
  /** Whether the limit is the one that the configuration mirrors. */
  readonly isLimitMirrored?: boolean | undefined;
  /** 0 or negative when the limit is used up. */
  readonly remaining?: number | undefined;
  readonly reset?: KeyReading["limitReset"] | undefined;
  /** Every limit that bounds the key, if its own is not the only one. */
  readonly layers?: readonly KeyLayer[] | undefined;
  readonly nextResetMs?: number | undefined;
  readonly day?: number | undefined;
  readonly week?: number | undefined;
  readonly month?: number | undefined;
  readonly total?: number | undefined;
  /** Used through own provider keys, which are billed elsewhere; undefined: nothing, or unknown. */
  readonly byok?: { readonly [Window in "day" | "month" | "total"]: number | undefined } | undefined;
  readonly expiryMs?: number | undefined;
  /** The key is not polled: a list of the account shows it. */
  readonly isListed?: boolean;
  /** The polls of the key have no current answer: the figures are those of a list of the account. */
  readonly isFromList?: boolean;
  /** The gateway refuses the key; only a list shows that. */
  readonly isDisabled?: boolean;
  /** Undefined: there is no answer yet. */
  readonly forecast?: Forecast | undefined;
  /** What stops the key, or will first. */
  readonly danger?: Danger | undefined;
}

/** One query of the analytics. Amounts are credits; undefined means unknown. */
export interface QueryRow extends TargetRow {
  readonly windowStartMs?: number | undefined;
  /** The end of the data: nothing later is included. */
  readonly dataMs?: number | undefined;
  readonly credits?: number | undefined;
  readonly requests?: number | undefined;
  /** Whether the credits, if known, are a lower bound: the answer has no complete total of them. */
  readonly isLeast?: boolean | undefined;
  /** The same for the requests. */
  readonly isRequestsLeast?: boolean | undefined;
  /** The most expensive pairs, `_other` last. */
  readonly pairs: readonly PairRow[];
  /** Whether the gateway has more pairs than it sent. */
  readonly truncated?: boolean | undefined;
  /** Whether the pairs add up to more than the total. */
  readonly exceedsTotal?: boolean | undefined;
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

/** What no pair has a name for. */
export const OTHER = { model: "_other", app: "_other" };

export function isOther({ model, app }: Pick<PairRow, "model" | "app">): boolean {
  return model === OTHER.model && app === OTHER.app;
}

export function queryRow(name: string, readings: ReadingSource): QueryRow {
  const id = targetId("analytics", name);
  const row = { ...targetRow(name, readings.status(id)), pairs: [] };
  const reading = readings.shown(id);
  if (reading?.value?.kind !== "usage" || !reading.shows(reading.value.window)) return row;
  const { range, dataMs, credits, requests, pairs, truncated, exceedsTotal, isTotalPartial } = reading.value;
  return {
    ...row,
    windowStartMs: range.startMs,
    dataMs,
    credits: credits ?? sum(pairs, "credits"),
    requests: requests ?? sum(pairs, "requests"),
    // Nothing shows whether the pairs are all of the spend.
    isLeast: isTotalPartial === true || credits === undefined,
    isRequestsLeast: isTotalPartial === true || requests === undefined,
    pairs: pairs.flatMap(({ model, app, credits: amount }) =>
      amount === undefined ? [] : { model, app, credits: amount },
    ),
    truncated,
    exceedsTotal,
  };
}

/** The sum of no amounts is unknown, not 0. */
function sum(pairs: readonly PairUsage[], amount: "credits" | "requests"): number | undefined {
  const known = pairs.flatMap((pair) => pair[amount] ?? []);
  return known.length === 0 ? undefined : decimalSum(known);
}

/** What no watched key explains. Amounts are credits; undefined: unknown. */
export interface UnwatchedRow
  extends TargetRow, Partial<Pick<UnwatchedReading, "unresolvedKeys" | "unresolvedNames">> {
  readonly day?: number | undefined;
  readonly month?: number | undefined;
}

export function unwatchedRow(readings: ReadingSource): UnwatchedRow {
  const id = targetId("unwatched", "unwatched");
  const row = targetRow("unwatched", readings.status(id));
  const reading = readings.shown(id);
  if (reading?.value?.kind !== "unwatched") return row;
  const { windows, unresolvedKeys, unresolvedNames } = reading.value;
  const shown = (kind: "day" | "month") =>
    reading.shows(windows[kind].window) ? windows[kind].credits : undefined;
  return { ...row, day: shown("day"), month: shown("month"), unresolvedKeys, unresolvedNames };
}
