import type { KeyInformation, Transcription } from "../gateway/port.ts";
import type { Window } from "../time/window.ts";

/** What was learnt of a target, when it was asked for, and how long it may be shown. */
export interface Reading {
  readonly value: ReadingValue;
  /** When the run began that brought it. */
  readonly askedAtMs: number;
  /** The earlier of when it was asked for and when the service computed it. It decides which windows are settled. */
  readonly asOfMs: number;
  readonly timeToLiveMs: number;
  /** Credits spent, for budgets. They outlive the time to live. */
  readonly spend: readonly WindowSpend[];
}

export type ReadingValue = KeyReading | UsageReading | ProbeReading;

/** The answer about one key. */
export interface KeyReading {
  readonly kind: "key";
  readonly information: KeyInformation;
  /** The window that the remaining credits belong to; undefined: the limit never resets. */
  readonly limitWindow: Window | undefined;
}

/** The answer to one query of the analytics, cut to what is shown. */
export interface UsageReading {
  readonly kind: "usage";
  /** The calendar window that the values are shown in. */
  readonly window: Window;
  /** The time range that was asked for. */
  readonly range: Window;
  /** The end of the data, epoch milliseconds. */
  readonly dataMs: number;
  /** The most expensive pairs, `_other` last; empty when pairs were not asked for. */
  readonly pairs: readonly PairUsage[];
  readonly foldedPairs: number;
  readonly truncated: boolean;
}

/** The labels are as `/metrics` shows them; amounts are undefined where the service has no value. */
export interface PairUsage {
  readonly model: string;
  readonly app: string;
  readonly credits: number | undefined;
  readonly requests: number | undefined;
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

/** Credits spent in a window until the answer was asked for, before anything is cut or folded. */
export interface WindowSpend {
  readonly window: Window;
  /** In all; undefined: the answer does not contain it. */
  readonly credits: number | undefined;
  /** By model and app, if that was asked for. */
  readonly breakdown?: {
    readonly pairs: readonly PairSpend[];
    /** Whether these are all the pairs that exist. */
    readonly complete: boolean;
  };
}

export interface PairSpend {
  readonly model: string;
  readonly app: string;
  readonly credits: number | undefined;
}
