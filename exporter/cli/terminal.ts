import type { Environment } from "../secrets/secret-source.ts";
import type { Log, LogOutput } from "../log.ts";
import type { Build } from "../metrics/app-metrics.ts";
import type { Clock } from "../time/clock.ts";

/** The process as a command sees it. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly build: Build;
  /** Resolves at the first signal to stop. The second one ends the process at once. */
  untilStopped(): Promise<void>;
  /** Calls back at each SIGHUP. */
  onHangup(run: () => void): void;
  /** Calls back and ends the process with exit code 1, unless the process has ended by itself within `ms`. */
  endAfter(ms: number, beforeEnd: () => void): void;
  /** Whether no process has this id; false if it is not an integer. */
  hasEnded(pid: number): boolean;
  /** From now on an unexpected error is logged, not printed. */
  logErrorsTo(log: Log): void;
}

export interface Output extends LogOutput {
  /** Whether a person reads it. */
  readonly isTTY?: boolean;
}
