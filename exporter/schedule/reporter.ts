import type { GatewayError } from "../gateway/errors.ts";
import type { TargetStatus } from "../readings/readings.ts";
import type { Job } from "./job.ts";

/** Counts and logs the outcomes of a group's jobs. */
export interface Reporter {
  /** A run has ended. `before` is the status before it. */
  ended(job: Job, outcome: RunOutcome, before: TargetStatus): void;
  /** The series limit has no room for the samples of an answer. */
  refused(job: Job, series: number): void;
  /** A run ended without a request, because the gateway asked to wait. */
  paused(job: Job): void;
  /** A tick came while a paid job could not run. */
  missed?(job: Job, why: "running" | "paused"): void;
}

export interface RunOutcome {
  readonly durationMs: number;
  /** Undefined: the run succeeded. */
  readonly failure: GatewayError | undefined;
  /** The unusable part of the answer. */
  readonly warning: string | undefined;
  /** Label values of the answer that are shown as `_concealed`. */
  readonly concealedLabels: number;
}
