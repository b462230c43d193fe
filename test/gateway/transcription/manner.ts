import type { Recording } from "./recordings.ts";

/** How a model transcribes. The defaults are those of a good and fast model. */
export type Manner = {
  /** Real milliseconds before the answer, and the latency in the books. */
  readonly latencyMs: number;
  /** The price of a minute of audio. Free variants cost nothing. */
  readonly microsPerMinute: number;
  /** A fixed price per call, instead of the price per minute. */
  readonly micros: number | null;
  /**
   * Numbers of words omitted at the beginning, replaced after them, and added at the end. Every alignment
   * counts exactly these errors.
   */
  readonly deletedWords: number;
  readonly substitutedWords: number;
  readonly insertedWords: number;
  /** Replaces the text of any recording; word errors still apply. */
  readonly text: string | null;
  /** Null if the provider does not score the whole transcript (2.6). */
  readonly confidence: number | null;
  /** False: the answer has no `usage`, although the call is charged. */
  readonly usage: boolean;
  /** False: the provider does not support `verbose_json`, and such a call is a 400. */
  readonly verbose: boolean;
  /** The model refuses every call with this status, without a charge. */
  readonly status: number | null;
};

export type Manners = ReturnType<typeof createManners>;

/** How all models transcribe, with overrides for single models. */
export function createManners() {
  let everyModel = defaultManner;
  const singleModels = new Map<string, Partial<Manner>>();
  return {
    of: (model: string): Manner => ({ ...everyModel, ...singleModels.get(model) }),
    /** Changes some fields, for one model or for all models without an override. */
    change(changes: Partial<Manner>, model: string | null = null): void {
      if (model === null) everyModel = { ...everyModel, ...changes };
      else singleModels.set(model, { ...singleModels.get(model), ...changes });
    },
    reset(): void {
      everyModel = defaultManner;
      singleModels.clear();
    },
  };
}

const defaultManner: Manner = {
  latencyMs: 0,
  microsPerMinute: 6000,
  micros: null,
  deletedWords: 0,
  substitutedWords: 0,
  insertedWords: 0,
  text: null,
  confidence: 0.97,
  usage: true,
  verbose: true,
  status: null,
};

/** The transcript with its errors. The remaining words keep their order between them, so no alignment finds fewer errors. */
export function spokenText(manner: Manner, recording: Recording): string {
  const words = wordsOf(manner.text ?? recording.text).slice(manner.deletedWords);
  const heard = words.map((word, index) => (index < manner.substitutedWords ? WRONG_WORD : word));
  const added = Array.from({ length: manner.insertedWords }, () => WRONG_WORD);
  return [...heard, ...added].join(" ");
}

export function wordsOf(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}

export function costMicros(manner: Manner, seconds: number, isFree: boolean): number {
  if (isFree) return 0;
  return manner.micros ?? Math.round((manner.microsPerMinute * seconds) / 60);
}

const WRONG_WORD = "bzzt";
