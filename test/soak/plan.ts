/** What goes on at the gateway, and for how many poll intervals. */
export interface Phase {
  readonly name: "calm" | "mixed faults" | "slow answers" | "throttling" | "outage";
  readonly intervals: number;
}

/** Ends with an outage that is longer than any time to live, after which everything must come back. */
export const PHASES: readonly Phase[] = [
  { name: "calm", intervals: 2.75 },
  { name: "mixed faults", intervals: 2.5 },
  { name: "slow answers", intervals: 0.75 },
  { name: "throttling", intervals: 0.5 },
  { name: "outage", intervals: 3.5 },
];

/** How many intervals all phases take together. */
export const CYCLE = PHASES.reduce((sum, { intervals }) => sum + intervals, 0);

/** The heap grows to its size during the first faults; of an hour each quarter of the rest is then about a cycle. */
export function warmUpMs(intervalMs: number): number {
  return Math.max(900_000, 1.5 * CYCLE * intervalMs);
}

/** So long after the last fault, in intervals, every key must be shown again. */
export const RECOVERY = 2;

/** How many intervals a value may be repeated (docs/metrics.md). */
export const INTERVALS_TO_LIVE = 3;

/** Six queries of two requests each, of which the exporter sends 60 a minute: no query comes sooner than after this. */
export const ANALYTICS_INTERVAL_MS = 12_000;

/** Limits of one attempt and of one request with its retries: short of an interval, and with room for a busy machine. */
export function timeoutMs(intervalMs: number): number {
  return Math.max(1000, Math.floor(intervalMs / 12));
}

export function deadlineMs(intervalMs: number): number {
  return Math.max(1500, Math.floor(intervalMs / 4));
}
