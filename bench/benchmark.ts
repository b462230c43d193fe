/** One question about speed or size: who takes part, what is measured, and what the answer should be. */
export interface Benchmark {
  /** `poll/gap`: the folder and the file. */
  readonly name: string;
  /** What is asked, one line. */
  readonly title: string;
  /** What each round measures, in the order of the columns. */
  readonly quantities: readonly Quantity[];
  readonly goals: readonly Goal[];
  /** Measured rounds; one more is thrown away before them. */
  readonly rounds: number;
  /** The contender whose rounds should be alike: when they are not, the run is too noisy to judge. */
  readonly reference?: { readonly contender: string; readonly quantity: string };
  /** Starts whatever is measured, each contender in a process of its own. */
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
  /** Ends all that `open` started. */
  close(): Promise<void>;
}

/** One that is measured, or why it cannot be measured here. */
export type Contender = Runner | Skipped;

export interface Runner {
  readonly name: string;
  /** Measures once. The contenders take turns, so that what disturbs the machine disturbs all of them. */
  round(): Promise<Readings>;
}

export interface Skipped {
  readonly name: string;
  /** `go is not installed`. */
  readonly skipped: string;
}

/** By quantity; one that is not there is not measured for this contender. */
export type Readings = Readonly<Record<string, number>>;

/** A bound on what a contender shows, alone or compared with another within each round. */
export interface Goal {
  readonly quantity: string;
  readonly measure: Measure;
  readonly bound: "at most" | "at least";
  readonly bar: number;
  readonly stretch: number;
}

export type Measure =
  | { readonly kind: "value"; readonly of: string }
  /** `of` ÷ `to`. */
  | { readonly kind: "ratio"; readonly of: string; readonly to: string }
  /** `of` − `to`. */
  | { readonly kind: "difference"; readonly of: string; readonly to: string };
