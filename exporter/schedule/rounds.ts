import type { Clock } from "../time/clock.ts";
import type { Collector, Target } from "../collectors/collector.ts";
import { SETTLE_MS, windowAt } from "../time/window.ts";
import { createPlaces } from "./places.ts";
import type { Poller } from "./poller.ts";
import type { Statuses } from "../readings/statuses.ts";
import type { Ticker } from "../time/ticker.ts";

/** Polls the targets of one collector: at once after the start, at each tick, and once more when a UTC day has settled. */
export interface Rounds {
  start(): void;
  stop(): void;
  /**
   * Goes on by another configuration. A target that was not changed keeps its place in the round; the others are polled
   * at once. With another ticker all are.
   */
  adopt(targets: readonly Target[], ticker: Ticker | undefined): void;
  /** Polls every target now, as the first round does. */
  pollAll(): Promise<void>;
  /** The longest time between two polls of a target: of the ticker, or of the pace if that is slower. Milliseconds. */
  intervalMs(): number;
  /** How long the target that has waited longest is overdue, milliseconds. */
  lagMs(): number;
}

export interface RoundsDependencies {
  readonly clock: Clock;
  /** In [0, 1), for the jitter. */
  readonly random: () => number;
  readonly poller: Poller;
  readonly statuses: Statuses;
}

/** How many intervals the last good values are repeated. */
const INTERVALS_TO_LIVE = 3;

/** A round is spread over its interval so that there is no burst, but a daily one need not take all day. */
const LONGEST_SPREAD_MS = 300_000;

/** Polls beyond those that can be under way, so that a connection never waits for the next. */
const READY_POLLS = 16;

/** How often it is looked whether a day has ended: a stepped or stopped clock fires no timer. */
const LONGEST_WAIT_MS = 30_000;

export function createRounds(
  collector: Collector,
  initialTargets: readonly Target[],
  initialTicker: Ticker,
  { requestsPerMinute, connections }: { readonly requestsPerMinute: number; readonly connections: number },
  { clock, random, poller, statuses }: RoundsDependencies,
): Rounds {
  let targets = new Map(initialTargets.map((target) => [target.id, target]));
  let ticker = initialTicker;
  let stopTicker: (() => void) | undefined;
  let cancelBoundary: (() => void) | undefined;
  let polls = 0;
  // A poll that waits long is expensive: what it will need is made before, and garbage is taken for long-lived.
  const places = createPlaces(clock, () => polls < connections + READY_POLLS);

  function intervalMs(): number {
    const requests = targets.size * collector.requestsPerPoll;
    const paceMs = requestsPerMinute === 0 ? 0 : (requests * 60_000) / requestsPerMinute;
    return Math.max(ticker.longestGapMs, paceMs);
  }

  async function poll(target: Target): Promise<void> {
    // It may be polled for a reload or the end of a day.
    places.forgo(target.id);
    polls++;
    await poller.poll(collector, target, INTERVALS_TO_LIVE * Math.max(intervalMs(), target.minIntervalMs));
    polls--;
    places.serve();
  }

  /** Each target gets its own part of the interval, and jitter within that. */
  function spreadRound(): void {
    const spreadMs = Math.min(ticker.longestGapMs, LONGEST_SPREAD_MS);
    for (const [index, target] of [...targets.values()].entries()) {
      if (isDue(target)) pollIn(((index + random()) / targets.size) * spreadMs, target.id);
    }
  }

  function isDue(target: Target): boolean {
    const lastAnswerMs = statuses.get(target.id)?.lastAnswerMs;
    // Half a tick early is in time: the jitter must not put a poll off by a whole one.
    const earlyMs = ticker.longestGapMs / 2;
    if (lastAnswerMs === undefined) return true;
    const ageMs = clock.now() - lastAnswerMs;
    // An answer of the future is of a clock that was wrong then, or is now.
    return ageMs < 0 || ageMs >= target.minIntervalMs - earlyMs;
  }

  function pollIn(ms: number, id: string): void {
    places.take(ms, id, () => {
      const target = targets.get(id);
      if (target) void poll(target);
    });
  }

  function adopt(next: readonly Target[], nextTicker: Ticker | undefined): void {
    const previous = targets;
    const isUnchanged = ({ id, fingerprint }: Target) =>
      !nextTicker && previous.get(id)?.fingerprint === fingerprint;
    const changed = next.filter((target) => !isUnchanged(target));
    targets = new Map(next.map((target) => [target.id, target]));
    const leaving = new Set(changed.map(({ id }) => id));
    places.leave((id) => leaving.has(id) || !targets.has(id));
    ticker = nextTicker ?? ticker;
    if (!stopTicker) return;
    if (nextTicker) {
      stopTicker();
      stopTicker = ticker.start(spreadRound);
    }
    for (const target of changed) void poll(target);
  }

  /** What was answered before midnight is withdrawn then; what is asked from `SETTLE_MS` on is believed again. */
  function awaitBoundary(boundaryMs: number): void {
    const waitMs = Math.max(0, boundaryMs - clock.now());
    cancelBoundary = clock.after(Math.min(waitMs, LONGEST_WAIT_MS), () => {
      if (clock.now() < boundaryMs) return awaitBoundary(Math.min(boundaryMs, nextBoundary(clock.now())));
      for (const target of targets.values()) void pollSince(target, boundaryMs);
      awaitBoundary(nextBoundary(clock.now()));
    });
  }

  /** A poll that is under way at the boundary was begun too early to be believed; the target is asked again after it. */
  async function pollSince(target: Target, boundaryMs: number): Promise<void> {
    await poll(target);
    const lastAttemptMs = statuses.get(target.id)?.lastAttemptMs;
    if (lastAttemptMs !== undefined && lastAttemptMs < boundaryMs) await poll(target);
  }

  async function pollAll(): Promise<void> {
    await Promise.all([...targets.values()].map(poll));
  }

  return {
    start: () => {
      stopTicker = ticker.start(spreadRound);
      awaitBoundary(nextBoundary(clock.now()));
      void pollAll();
    },
    stop: () => {
      stopTicker?.();
      stopTicker = undefined;
      cancelBoundary?.();
      places.leave(() => true);
    },
    adopt,
    pollAll,
    intervalMs,
    lagMs: () => longestLag(targets.values(), statuses, clock.now(), intervalMs()),
  };
}

/** The next time that a day's windows can be believed. */
function nextBoundary(nowMs: number): number {
  const day = windowAt("day", nowMs);
  return nowMs < day.startMs + SETTLE_MS ? day.startMs + SETTLE_MS : day.endMs + SETTLE_MS;
}

function longestLag(targets: Iterable<Target>, statuses: Statuses, now: number, intervalMs: number): number {
  let longest = 0;
  for (const { id, minIntervalMs } of targets) {
    const status = statuses.get(id);
    const attemptMs = status?.lastAttemptMs ?? status?.addedMs ?? now;
    longest = Math.max(longest, now - attemptMs - Math.max(intervalMs, minIntervalMs));
  }
  return longest;
}
