/** One question about speed or size: the contenders, the measurements and the goals. */
export interface Benchmark {
  /** Folder and file: `poll/gap`. */
  readonly name: string;
  /** The question, in one line. */
  readonly title: string;
  /** The quantities that each round measures, in the order of the columns. */
  readonly quantities: readonly Quantity[];
  readonly goals: readonly Goal[];
  /**
   * Number of measured rounds, after one that is discarded, unless a contender needs minutes and warms up
   * within its round.
   */
  readonly rounds: number;
  readonly warmsUpItself?: true;
  /** The contender whose rounds should be alike, and which is measured twice; if they differ, the run is too noisy to judge. */
  readonly reference?: { readonly contender: string; readonly quantity: string };
  /** Starts the contenders, each in its own process. */
  open(): Promise<Arena>;
}

export interface Quantity {
  /** `gap`. */
  readonly name: string;
  /** `ms`. */
  readonly unit: string;
}

export interface Arena {
  readonly contenders: readonly Contender[];
  /** Stops everything that `open` started. */
  close(): Promise<void>;
}

/** A contender that can be measured, or the reason why it cannot. */
export type Contender = Runner | Skipped;

export interface Runner {
  readonly name: string;
  /** Measures one round. The contenders alternate, so that a disturbance of the machine affects all of them. */
  round(): Promise<Readings>;
}

export interface Skipped {
  readonly name: string;
  /** `go is not installed`. */
  readonly skipped: string;
}

/** Values by quantity; a missing quantity is not measured for this contender. */
export type Readings = Readonly<Record<string, number>>;

/** A bound on a contender's result, alone or compared with another contender within each round. */
export interface Goal {
  readonly quantity: string;
  readonly measure: Measure;
  readonly bound: "at most" | "at least";
  readonly bar: number;
  readonly stretch: number;
  /** A contender that does the least possible: if it misses the bar as well, the machine cannot meet it. */
  readonly least?: string;
}

export type Measure =
  | { readonly kind: "value"; readonly of: string }
  /** `of` ÷ `to`. */
  | { readonly kind: "ratio"; readonly of: string; readonly to: string }
  /** `of` − `to`. */
  | { readonly kind: "difference"; readonly of: string; readonly to: string };

export const value = (of: string): Measure => ({ kind: "value", of });
export const ratio = (of: string, to: string): Measure => ({ kind: "ratio", of, to });
export const difference = (of: string, to: string): Measure => ({ kind: "difference", of, to });

export function atMost(quantity: string, measure: Measure, bar: number, stretch: number): Goal {
  return { quantity, measure, bound: "at most", bar, stretch };
}

export function atLeast(quantity: string, measure: Measure, bar: number, stretch: number): Goal {
  return { quantity, measure, bound: "at least", bar, stretch };
}
