import type { ScheduleExpression } from "../time/ticker.ts";
import type { Gateway } from "../gateway/port.ts";
import type { Limits } from "./dispatcher.ts";
import type { Job } from "./job.ts";
import type { Reporter } from "./reporter.ts";

/** What to run, and against which gateway. */
export interface Plan {
  readonly gateway: Gateway;
  readonly limits: Limits & {
    /** Longest that a retry-after silences a target or an endpoint, milliseconds. */
    readonly maxPauseMs: number;
  };
  readonly groups: readonly JobGroup[];
}

/** Jobs of one endpoint that follow one schedule and are reported in one way. */
export interface JobGroup {
  readonly name: string;
  readonly expression: ScheduleExpression;
  readonly jobs: readonly Job[];
  readonly reporter: Reporter;
  /**
   * Whether a run costs credits. Paid jobs run at the ticks of their schedule only: never at the start, after midnight, after
   * a failure or because the configuration has changed. A tick that finds them running or paused is missed.
   */
  readonly isPaid: boolean;
}
