import type { ScheduleExpression } from "../time/ticker.ts";
import type { Gateway } from "../gateway/port.ts";
import type { PermitLimits } from "./dispatcher.ts";
import type { Job } from "./job.ts";
import type { Reporter } from "./reporter.ts";

/** The groups of jobs to run, and the gateway to poll. */
export interface Plan {
  readonly gateway: Gateway;
  readonly limits: PermitLimits & {
    /** Longest pause of a target or an endpoint after a retry-after, milliseconds. */
    readonly maxPauseMs: number;
  };
  readonly groups: readonly JobGroup[];
  /** Whether another process runs this job, which has left the plan. Absent: none does. */
  readonly isElsewhere?: (job: Job) => boolean;
}

/** Jobs of one endpoint that share a schedule and a reporter. */
export interface JobGroup {
  readonly name: string;
  readonly expression: ScheduleExpression;
  readonly jobs: readonly Job[];
  readonly reporter: Reporter;
  /**
   * Whether a run costs credits. Paid jobs run at the ticks of their schedule only: never at the start, after
   * midnight, after a failure or because the configuration has changed. A tick that comes while they run or
   * pause is missed.
   */
  readonly isPaid: boolean;
}
