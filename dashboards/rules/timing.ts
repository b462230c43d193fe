import { INTERVALS_TO_LIVE } from "../../exporter/metrics/thresholds.ts";
import { DAY, HOUR, MINUTE } from "../thresholds.ts";

/** The durations of the rules, shortened for tests. */
export interface Timing {
  /** Formats a duration for PromQL and rule files: `15m`. Prometheus' own clock measures it. */
  readonly duration: (seconds: number) => string;
  /** How long the last value of a series counts, so that a failed scrape or a restart of the exporter ends no alert. */
  readonly memory: string;
  /** How long the times of a probe's runs are remembered. */
  readonly probeMemory: string;
  /** Seconds: the window of recent probe runs, which must contain several runs. */
  readonly probeWindow: number;
  /** A PromQL expression for the present, in seconds since the epoch. */
  readonly now: string;
}

export interface TimingOptions {
  /** Longest time between two runs of a probe (aigateway_probe_interval_seconds). Default 3600. */
  readonly probeIntervalSeconds?: number | undefined;
  /**
   * Factor for all durations, for tests in which the exporter's clock runs faster: 1/600 if it is 600 times
   * as fast. Default 1.
   */
  readonly scale?: number;
  /** A PromQL expression for the exporter's clock, if it differs from Prometheus' own. Default `time()`. */
  readonly now?: string;
}

/** Bridges 20 minutes without scrapes; from ten minutes on AIGatewayExporterDown fires, which inhibits the others. */
const MEMORY = 25 * MINUTE;
const PROBE_WINDOW = 6 * HOUR;

export function createTiming({
  probeIntervalSeconds = HOUR,
  scale = 1,
  now = "time()",
}: TimingOptions): Timing {
  const duration = (seconds: number) => durationText(Math.max(1, Math.round(seconds * 1000 * scale)));
  return {
    duration,
    memory: duration(MEMORY),
    probeMemory: duration(Math.max(DAY, INTERVALS_TO_LIVE * probeIntervalSeconds)),
    probeWindow: Math.max(PROBE_WINDOW, 4 * probeIntervalSeconds),
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
