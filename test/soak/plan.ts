/** The phases of the gateway, with their length in poll intervals. */
export interface Phase {
  readonly name: "calm" | "mixed faults" | "slow answers" | "throttling" | "outage";
  readonly intervals: number;
}

/** The plan ends with an outage that is longer than any time to live; everything must come back afterwards. */
export const PHASES: readonly Phase[] = [
  { name: "calm", intervals: 2.75 },
  { name: "mixed faults", intervals: 2.5 },
  { name: "slow answers", intervals: 0.75 },
  { name: "throttling", intervals: 0.5 },
  { name: "outage", intervals: 6 },
];

/** How many intervals all phases take together. */
export const CYCLE = PHASES.reduce((sum, { intervals }) => sum + intervals, 0);

/** The heap reaches its size during the first faults. In a soak of an hour, each quarter of the rest is about a cycle. */
export function warmUpMs(intervalMs: number): number {
  return Math.max(900_000, 1.5 * CYCLE * intervalMs);
}

/** Intervals after the last fault until every key must be shown again. */
export const RECOVERY = 2;

/** How many intervals a value may be repeated (docs/metrics.md). */
export const INTERVALS_TO_LIVE = 3;

/** Six queries of two requests each at 60 requests a minute: no query is repeated sooner. */
export const ANALYTICS_INTERVAL_MS = 12_000;

/** Limits of one attempt, and of one request with its retries: shorter than an interval, with room for a busy machine. */
export function timeoutMs(intervalMs: number): number {
  return Math.max(1000, Math.floor(intervalMs / 12));
}

export function deadlineMs(intervalMs: number): number {
  return Math.max(1500, Math.floor(intervalMs / 4));
}
