/** Durations of the rules: what they are in days and minutes, made shorter for tests and longer for slow polls. */
export interface Timing {
  /** A duration in PromQL and in rule files, which Prometheus' own clock measures: `25m`. */
  duration(seconds: number): string;
  /** Seconds to compare with differences of the exporter's timestamps and of `now`. Not scaled: that clock runs faster instead. */
  seconds(seconds: number): number;
  /** How long the last value of a key stands in for a missing one: bridges gaps of scrapes and restarts of the exporter. */
  readonly memory: string;
  readonly memorySeconds: number;
  /** The same for values that come with the analytics, among them budgets. */
  readonly analyticsMemory: string;
  readonly analyticsMemorySeconds: number;
  /** How long the times of a probe's runs are remembered, so that a restart of the exporter does not make them unknown. */
  readonly probeMemory: string;
  /** Seconds: what recent runs of probes are, which must be several. */
  readonly probeWindow: number;
  /** Seconds: the window of the shortest rate, which must hold several polls. */
  readonly burnWindow: number;
  /** Longest interval of polls that the windows suit. */
  readonly longestPollSeconds: number;
  /** The present in seconds since the epoch: an expression. */
  readonly now: string;
}

export interface TimingOptions {
  /** Longest time between two polls of a key (aigateway_exporter_poll_interval_seconds). Default 60. */
  readonly pollIntervalSeconds?: number;
  /** The same for the analytics. Default 300. */
  readonly analyticsIntervalSeconds?: number;
  /** Longest time between two runs of a probe (aigateway_probe_interval_seconds). Default 3600. */
  readonly probeIntervalSeconds?: number;
  /** Factor of all durations, for tests whose exporter has a clock that runs faster: 1/600 with one 600 times as fast. Default 1. */
  readonly scale?: number;
  /** What the exporter's clock shows, as PromQL, where it is not Prometheus' own. Default `time()`. */
  readonly now?: string;
}

const MINUTE = 60;
/** Bridges a gap of scrapes of 20 minutes. */
const MEMORY = 25 * MINUTE;
const BURN_WINDOW = 15 * MINUTE;
const PROBE_MEMORY = 24 * 60 * MINUTE;
const PROBE_WINDOW = 6 * 60 * MINUTE;

export function createTiming(options: TimingOptions): Timing {
  const { pollIntervalSeconds = 60, analyticsIntervalSeconds = 300, probeIntervalSeconds = 3600 } = options;
  const { scale = 1, now = "time()" } = options;
  const burnWindow = Math.max(BURN_WINDOW, 4 * pollIntervalSeconds);
  const memory = Math.max(MEMORY, 3 * pollIntervalSeconds);
  const analyticsMemory = Math.max(MEMORY, 3 * analyticsIntervalSeconds);
  const duration = (seconds: number) => durationText(Math.max(1, Math.round(seconds * 1000 * scale)));
  return {
    duration,
    seconds: (seconds) => seconds,
    memory: duration(memory),
    memorySeconds: memory,
    analyticsMemory: duration(analyticsMemory),
    analyticsMemorySeconds: analyticsMemory,
    probeMemory: duration(Math.max(PROBE_MEMORY, 3 * probeIntervalSeconds)),
    probeWindow: Math.max(PROBE_WINDOW, 4 * probeIntervalSeconds),
    burnWindow,
    longestPollSeconds: burnWindow / 4,
    now,
  };
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
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
