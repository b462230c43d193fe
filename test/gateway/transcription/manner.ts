import type { Recording } from "./recordings.ts";

/** How a model transcribes; the first values are those of a good and fast one. */
export type Manner = {
  /** Real milliseconds before the answer, also the latency in the books. */
  readonly latencyMs: number;
  /** The price of a minute of audio. Free variants cost nothing. */
  readonly microsPerMinute: number;
  /** The price of one call whatever its audio, instead of the price per minute. */
  readonly micros: number | null;
  /** Words left out at the beginning, replaced after them, and added at the end: that many errors, whoever aligns. */
  readonly deletedWords: number;
  readonly substitutedWords: number;
  readonly insertedWords: number;
  /** Said instead of anything that the recording says; errors still apply. */
  readonly text: string | null;
  /** Null when the provider does not score the whole transcript (2.6). */
  readonly confidence: number | null;
  /** Detected instead of the recording's language, in any spelling; a forced language stays. */
  readonly detectedLanguage: string | null;
  /** False: the answer has no `usage`, though the call is charged all the same. */
  readonly usage: boolean;
  /** False: the provider returns no word-level timestamps. */
  readonly words: boolean;
  /** False: the provider knows no `verbose_json` and the call is a 400. */
  readonly verbose: boolean;
  /** The model refuses every call with this status; nothing is charged. */
  readonly status: number | null;
};

export type Manners = ReturnType<typeof createManners>;

/** How every model transcribes, and what single models do otherwise. */
export function createManners() {
  let everyModel = defaultManner;
  const singleModels = new Map<string, Partial<Manner>>();
  return {
    of: (model: string): Manner => ({ ...everyModel, ...singleModels.get(model) }),
    /** Change some of it, for one model or for all that do not differ. */
    change(changes: Partial<Manner>, model: string | null = null): void {
      if (model === null) everyModel = { ...everyModel, ...changes };
      else singleModels.set(model, { ...singleModels.get(model), ...changes });
    },
    reset(): void {
      everyModel = defaultManner;
      singleModels.clear();
    },
    list: () => ({ every: everyModel, models: Object.fromEntries(singleModels) }),
  };
}

export const defaultManner: Manner = {
  latencyMs: 0,
  microsPerMinute: 6000,
  micros: null,
  deletedWords: 0,
  substitutedWords: 0,
  insertedWords: 0,
  text: null,
  confidence: 0.97,
  detectedLanguage: null,
  usage: true,
  words: true,
  verbose: true,
  status: null,
};

/** The transcript with its errors. What is left of the text stands still between them, so no alignment finds fewer. */
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
