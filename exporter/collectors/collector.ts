import type { Config } from "../config/config.ts";
import type { Family } from "../metrics/family.ts";
import type { CollectorContext } from "./collector-context.ts";
import type { Job } from "../schedule/job.ts";

/**
 * The contract of a collector: what it requests and how answers become samples. Timing, permits, errors, time to
 * live, windows and self-metrics belong to the engine (`schedule/`).
 */
export interface Collector {
  /** The label `collector`. */
  readonly name: string;
  /** The schedule of the configuration that it follows. */
  readonly schedule: keyof Config["schedule"];
  /** All its families, in the order of the exposition. */
  readonly families: readonly Family[];
  /** The family that shows when a target last answered; named in the HELP of the others. */
  readonly lastSuccess: Family;
  /**
   * How often the values of a family are polled if its collector runs at this interval, for its HELP text: `60 s`.
   * Needed if some jobs run less often.
   */
  readonly cadence?: (family: Family, intervalMs: number) => string;
  /** One job for each key or query to poll. */
  jobs(config: Config, context?: CollectorContext): readonly Job[];
}
