import type { Config, AnalyticsConfig, GatewayConfig } from "../config/config.ts";
import type { Family } from "../metrics/family.ts";
import type { Job } from "../schedule/job.ts";
import { createKeyDirectory, type KeyDirectory } from "../keys/key-directory.ts";
import type { Clock } from "../time/clock.ts";
import type { TargetReadings } from "../keys/watched-keys.ts";
import { identityOf } from "../secrets/secret.ts";
import { targetId } from "../readings/target-id.ts";
import { createPooledLimits, type PooledLimits } from "./key-layers.ts";

/**
 * The contract of a collector: what it requests and how answers become samples. Timing, permits, errors, time to
 * live, windows and self-metrics belong to the engine (`schedule/`).
 */
export interface Collector {
  /** The label `collector`. */
  readonly name: string;
  /** Which schedule of the configuration it follows. */
  readonly schedule: keyof Config["schedule"];
  /** All its families, in the order of the exposition. */
  readonly families: readonly Family[];
  /** The family that shows when a target last answered; named in the HELP of the others. Absent: there are none. */
  readonly lastSuccess?: Family;
  /**
   * How often the values of a family are polled if its collector runs at this interval, for its HELP text: `60 s`.
   * Needed if some jobs run less often.
   */
  readonly cadence?: (family: Family, intervalMs: number) => string;
  /** One job for each key or query to poll. */
  jobs(config: Config, context?: CollectorContext): readonly Job[];
}

/** What collectors share, and what they keep across reloads. */
export interface CollectorContext {
  readonly directory: KeyDirectory;
  readonly readings: TargetReadings;
  readonly pooledLimits: PooledLimits;
}

export function createCollectorContext(
  readings: TargetReadings = NO_READINGS,
  clock: Pick<Clock, "now"> = NO_CLOCK,
): CollectorContext {
  return {
    directory: createKeyDirectory(),
    readings,
    pooledLimits: createPooledLimits(readings, clock),
  };
}

/** For lists of jobs that are not run. */
const NO_CLOCK = { now: () => 0 };

const NO_READINGS: TargetReadings = {
  ids: () => [],
  status: () => undefined,
  latest: () => undefined,
  isCurrent: () => false,
};

/** Identifies the account that a job asks about: the gateway and the management key. Not for messages. */
export function accountIdentity(
  { managementKey }: Pick<AnalyticsConfig, "managementKey">,
  { baseUrl }: Pick<GatewayConfig, "baseUrl">,
): string {
  return JSON.stringify([baseUrl, identityOf(managementKey)]);
}

/** What the jobs that ask about the account have in common, and what most of them leave out. */
export function accountJob(
  kind: string,
  name: string,
  analytics: Pick<AnalyticsConfig, "managementKey">,
  gateway: Pick<GatewayConfig, "baseUrl">,
) {
  return {
    id: targetId(kind, name),
    name,
    identity: accountIdentity(analytics, gateway),
    fingerprint: "",
    requests: 1,
    minIntervalMs: 0,
    constants: [],
    describe: () => [],
  } satisfies Partial<Job>;
}
