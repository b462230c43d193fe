import type { Config } from "../config/config.ts";
import type { Endpoint } from "../gateway/port.ts";
import type { Family } from "../metrics/family.ts";
import type { Job } from "../schedule/job.ts";

/**
 * The contract of a collector: what it asks for and how answers become samples. Timing, permits, errors, time to live,
 * windows and self-metrics belong to the engine (`schedule/`).
 */
export interface Collector {
  /** The label `collector`. */
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Which schedule of the configuration it follows. */
  readonly schedule: keyof Config["schedule"];
  /** What one run of a job costs the gateway. */
  readonly requestsPerPoll: number;
  /** Everything that it may show, in the order of the exposition. */
  readonly families: readonly Family[];
  /** The family that shows when a target last answered; named in the HELP of the others. */
  readonly lastSuccess: Family;
  /** What is polled: one job for each key, or query. */
  jobs(config: Config): readonly Job[];
}
