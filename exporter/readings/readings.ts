import type { FailureReason } from "../gateway/errors.ts";
import type { Window } from "../time/window.ts";
import type { Reading, ReadingValue } from "./reading.ts";
import type { TargetId } from "./target-id.ts";

/** What status page and budgets see of the readings. */
export interface ReadingSource {
  /** Undefined: the target is not configured. */
  status(id: TargetId): TargetStatus | undefined;
  /** What may be shown now of a target; undefined: nothing was learnt, or its time to live has passed. */
  shown(id: TargetId): ShownReading | undefined;
  /** The last good reading, however old: budgets keep counting it as a lower bound. */
  latest(id: TargetId): Reading | undefined;
}

export interface ShownReading {
  readonly value: ReadingValue;
  readonly askedAtMs: number;
  /** Whether values of this calendar window may be shown now: it holds this instant, and the answer was settled in it. */
  shows(window: Window): boolean;
}

/** The outcome of a target's runs. */
export interface TargetStatus {
  /** When the target was configured. */
  readonly addedMs: number;
  /** Whether the last run succeeded; undefined before the first. */
  readonly up: boolean | undefined;
  /** Whether the service refuses the credential (401); only a success or a 401 changes it. */
  readonly unauthorized: boolean | undefined;
  /** When the last run began. */
  readonly lastAttemptMs: number | undefined;
  /** Whether a run has ended. */
  readonly attempted: boolean;
  readonly lastSuccessMs: number | undefined;
  /** When the last answer was asked for that need not be repeated soon: a good one, or a refusal of the question. */
  readonly lastAnswerMs: number | undefined;
  /** Why the last run failed; undefined after a success. */
  readonly failure: { readonly reason: FailureReason; readonly message: string } | undefined;
  /** What of the last good answer could not be used. */
  readonly warning: string | undefined;
}
