import type { KeyInformation } from "../gateway/key-information.ts";
import type { AccountCredits } from "../gateway/account.ts";
import type { Transcription } from "../gateway/port.ts";
import type { KeySpends } from "./key-spend.ts";
import { type Window, WINDOW_KINDS, windowAt } from "../time/window.ts";

/** The last answer about a target, with the time of the request and how long it may be shown. */
export interface Reading {
  /** For the status page and for probes; undefined: only the samples matter. */
  readonly value: ReadingValue | undefined;
  /** When its run began. */
  readonly askedAtMs: number;
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

export type ReadingValue = KeyReading | UsageReading | CreditsReading | UnwatchedReading | ProbeReading;

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
  /** Present if a list of the account shows it as disabled. */
  readonly isDisabled?: true;
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

/** The labels are as `/metrics` shows them; amounts are undefined where the service has no value. */
export interface PairUsage {
  readonly model: string;
  readonly app: string;
  readonly credits: number | undefined;
  readonly requests: number | undefined;
}

/** What the account has bought and used in all. */
export interface CreditsReading extends AccountCredits {
  readonly kind: "credits";
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
 * warns about the query. Unknown: the answer lacks the amount.
 */
export interface SpendGap {
  readonly reason: "cut" | "unreadable" | "unlisted" | "exceeding" | "warned" | "unknown";
  /** The total minus the rows; undefined: not known. */
  readonly credits: number | undefined;
}

export interface PairSpend {
  readonly model: string;
  readonly app: string;
  readonly credits: number | undefined;
}

/** What a reading contributes to budgets: credits by window. A key's are those without its own provider keys (BYOK). */
export function spendOf({ value, askedAtMs }: Reading): readonly WindowSpend[] {
  if (value?.kind === "usage") return value.spend ? [value.spend] : [];
  if (value?.kind !== "key") return [];
  const { usage } = value;
  return WINDOW_KINDS.map((kind) => ({ window: windowAt(kind, askedAtMs), credits: usage[kind] }));
}
