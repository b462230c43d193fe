import type { AccountCredits, KeyInformation, LimitReset, Spend } from "../gateway/account.ts";
import type { Transcription } from "../gateway/port.ts";
import {
  type Window,
  WINDOW_KINDS,
  windowAt,
  type WindowKind,
  type Period,
  periodName,
} from "../time/window.ts";

/** The last answer about a target, with the time of the request and how long it may be shown. */
export interface Reading {
  /** For the status page and for probes; undefined: only the samples matter. */
  readonly value: ReadingValue | undefined;
  /** When its run began. */
  readonly requestedAtMs: number;
  /**
   * The time of the request, or the time when the service computed the answer if that is earlier. It decides which
   * windows are settled.
   */
  readonly asOfMs: number;
  /** How long it may be shown at least, milliseconds after the run began. */
  readonly timeToLiveMs: number;
  /** The present time to live of its group, which counts if it is longer; absent: it does not change. */
  readonly groupLife?: GroupLife;
}

/**
 * The time to live of all answers of a group, milliseconds. It changes with the effective interval: while a round takes
 * longer than the ones before, the answers must last until their targets are polled again.
 */
export interface GroupLife {
  readonly timeToLiveMs: number;
}

export type ReadingValue =
  | KeyReading
  | UsageReading
  | HistoryReading
  | CreditsReading
  | UnwatchedReading
  | ProbeReading;

/**
 * The answer about one key. Ten thousand of these are kept, so fields that only become samples are left out; an
 * undefined field is unknown.
 */
export interface KeyReading extends Pick<
  KeyInformation,
  "limitCredits" | "limitReset" | "remainingCredits" | "usage" | "expiresAtMs"
> {
  readonly kind: "key";
  /** The window that the remaining credits belong to; undefined: the limit never resets. */
  readonly limitWindow: Window | undefined;
  /** Whether the limit is the one that the configuration mirrors; absent: it is the gateway's. */
  readonly isLimitMirrored?: boolean;
  /** Every limit that bounds the key; absent: its own limit is the only one, if it has any. */
  readonly layers?: readonly KeyLayer[];
  /** Present if a list of the account shows it as disabled. */
  readonly isDisabled?: true;
  /** What counts toward the limit; absent: the usage. */
  readonly limitUsage?: Spend;
  /** Use that one's own provider keys paid for (BYOK); absent: nothing, or unknown. */
  readonly byokUsage?: Spend;
  /** Absent: it is shown elsewhere. */
  readonly shownAs?: ShownKey;
  /** When the secret was replaced; absent: not since the exporter started. */
  readonly rotatedMs?: number;
}

export interface ShownKey {
  readonly name: string;
  /** Of its owner; undefined: unknown. */
  readonly team?: string | undefined;
  /** The SHA-256 of the secret, by which keys are told apart; undefined: unknown. */
  readonly hash: string | undefined;
}

/** One of the limits that bound a key. Amounts are credits; undefined: unknown. */
export interface KeyLayer {
  /** The scope that the service names, `key_limit` (the key's own) or `mirrored` (of the configuration). */
  readonly source: string;
  /** Identifies a budget that other keys share. Absent: the budget counts this key only. */
  readonly sharedId?: string;
  readonly limitCredits: number | undefined;
  readonly spentCredits: number | undefined;
  /** Zero or negative: the gateway refuses the key's calls until the reset. */
  readonly remainingCredits: number | undefined;
  /** Undefined: it never resets, or its reset is not known. */
  readonly nextResetMs: number | undefined;
  /** That the amounts belong to; undefined: it never resets. */
  readonly window: Window | undefined;
  readonly includesByok: boolean | undefined;
}

/** The answer to one analytics query, cut to the pairs that are shown. */
export interface UsageReading {
  readonly kind: "usage";
  /** The calendar window of the values. */
  readonly window: Window;
  /** The requested time range. */
  readonly range: Window;
  /** The end of the data, epoch milliseconds. */
  readonly dataMs: number;
  /** In total; undefined: the answer does not contain it. */
  readonly credits: number | undefined;
  readonly requests: number | undefined;
  /** Whether both may be incomplete: the service cut the total, or warns about the query. */
  readonly isTotalPartial?: boolean;
  /** The most expensive pairs, `_other` last; empty if pairs were not requested. */
  readonly pairs: readonly PairUsage[];
  readonly foldedPairs: number;
  /** Whether the service has more rows than it sent. */
  readonly truncated: boolean;
  /** Credits spent in the window of the query; undefined: no budget needs it. */
  readonly spend: WindowSpend | undefined;
  /** Whether the pairs add up to more than the total. */
  readonly exceedsTotal: boolean;
  /** By key and model; undefined: the query does not ask for that. */
  readonly keySpends?: KeySpends | undefined;
}

/** What the history is about: the account's spend in all, or divided. */
export const HISTORY_SUBJECTS = ["total", "key", "model", "app"] as const;
export type HistorySubject = (typeof HISTORY_SUBJECTS)[number];
export type HistoryAxis = Exclude<HistorySubject, "total">;

/** Credits of consecutive hours or days (UTC), the last of which has not ended. */
export interface HistoryReading {
  readonly kind: "history";
  /** The beginning of the first hour or day. */
  readonly startMs: number;
  /** Number of hours or days. */
  readonly count: number;
  /** The end of the data, epoch milliseconds. */
  readonly dataMs: number;
  /** By the label of the gateway. The total has one entry, or none if nothing was spent. */
  readonly names: ReadonlyMap<string, readonly number[]>;
  /** Whether rows or amounts are missing, so that all amounts are lower bounds. */
  readonly isLeast: boolean;
}

/** The labels are as `/metrics` shows them; amounts are undefined where the service has no value. */
export interface PairUsage extends PairSpend {
  readonly requests: number | undefined;
}

/** What the account has bought and used in all. */
export interface CreditsReading extends AccountCredits {
  readonly kind: "credits";
  /** Credits that the account buys by itself once its balance is below an amount; absent: none. */
  readonly topUp?: { readonly below: number; readonly credits: number };
}

/** What everything but the watched keys spent. */
export interface UnwatchedReading {
  readonly kind: "unwatched";
  /** Undefined credits: not known. */
  readonly windows: Readonly<Record<"day" | "month", UnwatchedWindow>>;
  /** Number of watched keys that the service does not know by their hash, or whose hash is not known. */
  readonly unresolvedKeys: number;
  /** The configured ones among them. */
  readonly unresolvedNames: readonly string[];
}

export interface UnwatchedWindow {
  readonly window: Window;
  readonly credits: number | undefined;
}

/** One run of a transcription probe. */
export interface ProbeReading {
  readonly kind: "probe";
  /** Undefined: there was no usable answer. */
  readonly answer: Transcription | undefined;
  readonly succeeded: boolean;
  readonly durationMs: number;
  readonly audioSeconds: number | undefined;
  readonly wordErrorRate: number | undefined;
}

/** Credits spent in a window up to the time of the request, before pairs are cut or folded. */
export interface WindowSpend {
  readonly window: Window;
  /** In total; undefined: the answer does not contain it. */
  readonly credits: number | undefined;
  /** Why the total may be incomplete. */
  readonly gap?: SpendGap | undefined;
  /** By model and app, if requested. */
  readonly breakdown?: {
    readonly pairs: readonly PairSpend[];
    /** What the pairs lack; undefined: nothing, as far as the answer shows. */
    readonly gap: SpendGap | undefined;
  };
}

/**
 * Why an answer is partial. Cut: the service has more rows than it sent. Unreadable: some rows cannot be
 * read. Unlisted: the rows add up to less than the total. Exceeding: they add up to more. Warned: the service
 * warns about the query. Byok: the amount may contain use of one's own provider keys. Rotated: the
 * former secret of the key spent in the window as well. Unknown: the answer lacks the amount.
 */
export interface SpendGap {
  readonly reason:
    | "cut"
    | "unreadable"
    | "unlisted"
    | "exceeding"
    | "warned"
    | "byok"
    | "rotated"
    | "unknown";
  /** The total minus the rows; undefined: not known. */
  readonly credits: number | undefined;
}

export interface PairSpend {
  readonly model: string;
  readonly app: string;
  readonly credits: number | undefined;
}

/** The calendar window of a limit; undefined: it has none, or which is not known. */
export const WINDOW_OF_RESET: Readonly<Partial<Record<LimitReset, WindowKind>>> = {
  daily: "day",
  weekly: "week",
  monthly: "month",
};

/** What a reading contributes to budgets: credits by window. A key's are those without its own provider keys (BYOK). */
export function spendOf({ value, requestedAtMs }: Reading): readonly WindowSpend[] {
  if (value?.kind === "usage") return value.spend ? [value.spend] : [];
  if (value?.kind !== "key") return [];
  const { usage, rotatedMs = -Infinity } = value;
  return WINDOW_KINDS.map((kind) => {
    const window = windowAt(kind, requestedAtMs);
    const isPart = rotatedMs >= window.startMs;
    return {
      window,
      credits: usage[kind],
      ...(isPart && { gap: { reason: "rotated", credits: undefined } }),
    };
  });
}

/** What the name of a listed key at the gateway shows. */
export interface ListedName {
  /** The name here. No other key has it. */
  readonly name: string;
  /** The other names, if its secret is configured under several. */
  readonly twins: readonly string[];
  /** The label of the name at the gateway, which other keys may have as well. */
  readonly label: string;
  /** Empty where the name contains none. */
  readonly owner: Readonly<Record<"team" | "project" | "costCenter", string>>;
}

/** The names of the keys of the account: by list, then by the hash of the key. */
export type ListedNames = ReadonlyMap<string, ReadonlyMap<string, ListedName>>;

/** What the keys of the account spend by model. Keys have the names that the service has for them. */
export interface KeySpends {
  readonly keys: ReadonlyMap<string, KeySpend>;
  /** Whether every row arrived and can be read, without a warning about the query. */
  readonly hasAllRows: boolean;
}

/** The spend of one name, which several keys may share. */
export interface KeySpend {
  /** The models that `/metrics` names, the most expensive first. */
  readonly models: readonly ModelSpend[];
  /** Of all rows of the name, so it contains models without a name as well; undefined: unknown. */
  readonly credits: number | undefined;
  /** Whether every row of the name has an amount. */
  readonly isComplete: boolean;
}

/** Credits; undefined: the service has no amount. */
export interface ModelSpend {
  readonly model: string;
  readonly credits: number | undefined;
}

/** What a query must be like for its rows to be the whole spend of keys by model. */
export function asksKeySpend(query: {
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly filters: readonly unknown[];
  readonly classifier?: unknown;
}): boolean {
  const { dimensions, metrics, filters, classifier } = query;
  const isDivided = dimensions.includes("api_key_id") && dimensions.includes("model");
  return isDivided && metrics.includes("credits") && filters.length === 0 && classifier === undefined;
}

/** The name of the analytics query that has the spend of budgets of a scope: by model and app, or by another dimension. */
export function budgetQueryName(scope: string, period: Period): string {
  const isOther = scope !== "model" && scope !== "app" && scope !== "account";
  return isOther ? `${periodName(period)}_${scope}` : periodName(period);
}
