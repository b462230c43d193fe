import { INTERVALS_TO_LIVE } from "../../exporter/metrics/thresholds.ts";
import { DAY, HOUR, MINUTE } from "../thresholds.ts";

/** The durations of the rules, shortened for tests and lengthened for slow polls. */
export interface Timing {
  /** Formats a duration for PromQL and rule files: `25m`. Prometheus' own clock measures it. */
  duration(seconds: number): string;
  /**
   * Seconds to compare with differences between the exporter's timestamps and `now`. Not scaled, because that
   * clock runs faster instead.
   */
  seconds(seconds: number): number;
  /** The interval of the groups that urgent alerts on keys need. */
  readonly urgentInterval: string;
  /** Seconds for which AIGatewayKeyExhaustionPredicted waits, so that a single burst does not fire it. */
  readonly warningWait: number;
  /** How long the last value of a key replaces a missing one, to bridge failed scrapes and restarts of the exporter. */
  readonly memory: string;
  readonly memorySeconds: number;
  /** The same for values from the analytics, including budgets. */
  readonly analyticsMemory: string;
  readonly analyticsMemorySeconds: number;
  /** How long the times of a probe's runs are remembered, so that they survive a restart of the exporter. */
  readonly probeMemory: string;
  /** Seconds: the window of recent probe runs, which must contain several runs. */
  readonly probeWindow: number;
  /** Seconds: the window of the shortest rate, which must contain several polls. */
  readonly burnWindow: number;
  /** Longest poll interval that the windows support. */
  readonly longestPollSeconds: number;
  /** The same for the list of the account's keys: two answers within the shortest window show a rate. */
  readonly longestDiscoverySeconds: number;
  /** A PromQL expression for the present, in seconds since the epoch. */
  readonly now: string;
}

export interface TimingOptions {
  /** Longest time between two polls of a key (aigateway_exporter_poll_interval_seconds). Default 60. */
  readonly pollIntervalSeconds?: number | undefined;
  /** Longest time between two lists of the account's keys. Default 300. */
  readonly discoveryIntervalSeconds?: number | undefined;
  /** Longest time between two polls of the analytics. Default 300. */
  readonly analyticsIntervalSeconds?: number | undefined;
  /** Longest time between two runs of a probe (aigateway_probe_interval_seconds). Default 3600. */
  readonly probeIntervalSeconds?: number | undefined;
  /**
   * Seconds between two evaluations of the urgent alerts on keys. Default 120, which costs half as much as 60
   * and announces as much.
   */
  readonly urgentIntervalSeconds?: number;
  /**
   * Seconds for which AIGatewayKeyExhaustionPredicted waits before it fires. Default 120. Where a series is
   * found for some time after its end, a burst looks longer.
   */
  readonly warningWaitSeconds?: number;
  /**
   * Factor for all durations, for tests in which the exporter's clock runs faster: 1/600 if it is 600 times
   * as fast. Default 1.
   */
  readonly scale?: number;
  /** A PromQL expression for the exporter's clock, if it differs from Prometheus' own. Default `time()`. */
  readonly now?: string;
}

/** Bridges 20 minutes without scrapes. */
const MEMORY = 25 * MINUTE;
const BURN_WINDOW = 15 * MINUTE;
const PROBE_MEMORY = DAY;
const PROBE_WINDOW = 6 * HOUR;

export function createTiming(options: TimingOptions): Timing {
  const { pollIntervalSeconds = 60, analyticsIntervalSeconds = 300, probeIntervalSeconds = HOUR } = options;
  const {
    discoveryIntervalSeconds = 300,
    urgentIntervalSeconds = 2 * MINUTE,
    warningWaitSeconds = 2 * MINUTE,
  } = options;
  const { scale = 1, now = "time()" } = options;
  const burnWindow = Math.max(BURN_WINDOW, 4 * pollIntervalSeconds, 2 * discoveryIntervalSeconds);
  const slowest = Math.max(pollIntervalSeconds, discoveryIntervalSeconds);
  const memory = Math.max(MEMORY, INTERVALS_TO_LIVE * slowest);
  const analyticsMemory = Math.max(MEMORY, INTERVALS_TO_LIVE * analyticsIntervalSeconds);
  const duration = (seconds: number) => durationText(Math.max(1, Math.round(seconds * 1000 * scale)));
  return {
    duration,
    seconds: (seconds) => seconds,
    urgentInterval: duration(urgentIntervalSeconds),
    warningWait: warningWaitSeconds,
    memory: duration(memory),
    memorySeconds: memory,
    analyticsMemory: duration(analyticsMemory),
    analyticsMemorySeconds: analyticsMemory,
    probeMemory: duration(Math.max(PROBE_MEMORY, INTERVALS_TO_LIVE * probeIntervalSeconds)),
    probeWindow: Math.max(PROBE_WINDOW, 4 * probeIntervalSeconds),
    burnWindow,
    longestPollSeconds: burnWindow / 4,
    longestDiscoverySeconds: burnWindow / 2,
    now,
  };
}

const UNITS = [
  ["d", DAY * 1000],
  ["h", HOUR * 1000],
  ["m", MINUTE * 1000],
  ["s", 1000],
  ["ms", 1],
] as const;

function durationText(ms: number): string {
  let rest = ms;
  return UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : `${count}${unit}`;
  }).join("");
}

/**
 * The interval of the groups whose series change slowly: nearly five minutes, for which a series is found
 * after its last value.
 */
export function slowly(timing: Timing): string {
  return timing.duration(4 * MINUTE);
}
