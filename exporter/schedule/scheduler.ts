import { isDeepStrictEqual } from "node:util";
import type { Log } from "../log.ts";
import type { TargetId } from "../readings/target-id.ts";
import { type Clock, LONGEST_TIMER_MS } from "../time/clock.ts";
import { createTicker, type ScheduleExpression, type Ticker } from "../time/ticker.ts";
import { SETTLE_MS, windowAt } from "../time/window.ts";
import type { JobGroup } from "./job.ts";

/**
 * Decides when each target is due: by the schedule of its group, spread over the interval, and after each UTC
 * midnight.
 */
export interface Scheduler {
  /** Replaces the groups. A group with an unchanged schedule keeps its place in it. */
  apply(groups: readonly JobGroup[]): void;
  /** Calls back with the due targets, ordered by time. */
  start(onDue: OnDue): void;
  stop(): void;
  /** Makes a target due once more at a time on the monotonic clock; only between start and stop. */
  at(id: TargetId, monotonicMs: number): void;
  /** The time between a group's last tick and the next one, milliseconds. */
  gapMs(name: string): number;
  /** The time between a group's last tick and the third one after it, milliseconds. */
  threeGapsMs(name: string): number;
}

export interface SchedulerDependencies {
  readonly clock: Clock;
  readonly log: Log;
}

export type OnDue = (due: readonly DueTarget[]) => void;

export interface DueTarget {
  readonly id: TargetId;
  /** When it became due, monotonic milliseconds. */
  readonly dueAt: number;
  /** The cause: a tick of its schedule, midnight, `at`, or a direct call. */
  readonly cause: "tick" | "midnight" | "again" | "asked";
}

/** The targets are spread over the interval to avoid a burst, but a daily interval need not use the whole day. */
const LONGEST_SPREAD_MS = 300_000;

/**
 * Timers fire some milliseconds late. A longer delay means that the process was suspended, and is not the gateway's
 * fault.
 */
const LATEST_TIMER_MS = 1000;

export function createScheduler({ clock, log }: SchedulerDependencies): Scheduler {
  let groups: ReadonlyMap<string, Group> = new Map();
  let cancelMidnight: (() => void) | undefined;
  let onDue: OnDue | undefined;
  const queueOf = (cause: DueTarget["cause"]) =>
    createTimerQueue(clock, (due) => {
      const earliest = clock.monotonic() - LATEST_TIMER_MS;
      onDue?.(due.map(({ id, at }) => ({ id, dueAt: Math.max(at, earliest), cause })));
    });
  const [ticks, again] = [queueOf("tick"), queueOf("again")];

  /**
   * Each target has its own fixed part of the interval, evenly spaced to avoid a burst. A paid target is due at the
   * tick itself, because the operator chose its time.
   */
  function onTick({ ticker, ordered, isPaid }: Group): void {
    const spreadMs = isPaid ? 0 : Math.min(ticker.gapMs(), LONGEST_SPREAD_MS);
    const now = clock.monotonic();
    ticks.add(ordered.map((id, index) => ({ id, at: now + ((index + 0.5) / ordered.length) * spreadMs })));
  }

  function begin(group: Group): Group {
    return { ...group, stop: group.ticker.start(() => onTick(groups.get(group.name) ?? group)) };
  }

  function groupOf({ name, expression, jobs, isPaid }: JobGroup): Group {
    const ordered = inOrder(jobs.map(({ id }) => id));
    const before = groups.get(name);
    if (before && isDeepStrictEqual(before.expression, expression)) return { ...before, ordered, isPaid };
    const group: Group = { name, expression, ordered, isPaid, ticker: createTicker(expression, clock, log) };
    return onDue ? begin(group) : group;
  }

  function apply(next: readonly JobGroup[]): void {
    const before = groups;
    groups = new Map(next.map((group) => [group.name, groupOf(group)]));
    for (const [name, { stop }] of before) if (groups.get(name)?.stop !== stop) stop?.();
    const known = new Set(next.flatMap(({ jobs }) => jobs.map(({ id }) => id)));
    const replaced = [...before.values()].filter(({ name, ticker }) => groups.get(name)?.ticker !== ticker);
    // Drops the times that the previous schedule had planned.
    const replanned = new Set(replaced.flatMap(({ ordered }) => ordered));
    ticks.remove((id) => !known.has(id) || replanned.has(id));
    again.remove((id) => !known.has(id));
  }

  /**
   * Answers from before midnight are withdrawn at midnight; answers requested after `SETTLE_MS` are trusted again.
   */
  function awaitMidnight(settledMs: number): void {
    const waitMs = Math.max(0, settledMs - clock.now());
    cancelMidnight = clock.after(Math.min(waitMs, LONGEST_TIMER_MS), () => {
      if (clock.now() < settledMs) return awaitMidnight(Math.min(settledMs, nextSettled(clock.now())));
      const dueAt = clock.monotonic();
      for (const { isPaid, ordered } of groups.values()) {
        if (!isPaid) onDue?.(ordered.map((id) => ({ id, dueAt, cause: "midnight" })));
      }
      awaitMidnight(nextSettled(clock.now()));
    });
  }

  return {
    apply,
    start: (callBack) => {
      onDue = callBack;
      groups = new Map([...groups].map(([name, group]) => [name, begin(group)]));
      awaitMidnight(nextSettled(clock.now()));
    },
    stop: () => {
      onDue = undefined;
      for (const { stop } of groups.values()) stop?.();
      cancelMidnight?.();
      for (const queue of [ticks, again]) queue.remove(() => true);
    },
    at: (id, monotonicMs) => {
      if (onDue) again.add([{ id, at: monotonicMs }]);
    },
    gapMs: (name) => groups.get(name)?.ticker.gapMs() ?? 0,
    threeGapsMs: (name) => groups.get(name)?.ticker.threeGapsMs() ?? 0,
  };
}

interface Group {
  readonly name: string;
  readonly expression: ScheduleExpression;
  readonly isPaid: boolean;
  readonly ordered: readonly TargetId[];
  readonly ticker: Ticker;
  /** Ends the ticks; undefined: not started. */
  readonly stop?: () => void;
}

/**
 * The polling order: by the hash of the id. It stays the same after restarts, reloads and changes of other targets,
 * and does not depend on a target's name or its line in a file.
 */
export function inOrder(ids: readonly TargetId[]): readonly TargetId[] {
  const ranked = ids.map((id) => ({ id, rank: rankOf(id) }));
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ id }) => id);
}

/** FNV-1a over the UTF-16 units: a cryptographic hash of ten thousand ids would hold up the event loop for 20 ms. */
function rankOf(id: TargetId): number {
  let rank = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) {
    rank = Math.imul(rank ^ id.charCodeAt(index), 0x01000193);
  }
  // FNV mixes the last characters badly, and names often differ only in these (the finalizer of MurmurHash3).
  rank = Math.imul(rank ^ (rank >>> 16), 0x85ebca6b);
  rank = Math.imul(rank ^ (rank >>> 13), 0xc2b2ae35);
  return (rank ^ (rank >>> 16)) >>> 0;
}

/** The next time at which a day's windows can be trusted. */
function nextSettled(nowMs: number): number {
  const day = windowAt("day", nowMs);
  return nowMs < day.startMs + SETTLE_MS ? day.startMs + SETTLE_MS : day.endMs + SETTLE_MS;
}

interface QueuedTime {
  readonly id: TargetId;
  /** On the monotonic clock, milliseconds. */
  readonly at: number;
}

/**
 * The times at which jobs become due. A single timer serves them all, because ten thousand simultaneous timers would
 * block the event loop. `onDue` is called with everything that has become due, ordered by time.
 */
function createTimerQueue(clock: Clock, onDue: (entries: readonly QueuedTime[]) => void) {
  /** Sorted by time. */
  let waiting: QueuedTime[] = [];
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;

  function awaitFirst(): void {
    const [first] = waiting;
    if (timer && timer.at === first?.at) return;
    timer?.cancel();
    timer = first && { at: first.at, cancel: clock.after(first.at - clock.monotonic(), onTime) };
  }

  function onTime(): void {
    timer = undefined;
    const now = clock.monotonic();
    const later = waiting.findIndex(({ at }) => at > now);
    const due = waiting.splice(0, later === -1 ? waiting.length : later);
    awaitFirst();
    onDue(due);
  }

  return {
    /** Adds times in ascending order. */
    add: (entries: readonly QueuedTime[]) => {
      for (const entry of entries)
        waiting.splice(waiting.findLastIndex(({ at }) => at <= entry.at) + 1, 0, entry);
      awaitFirst();
    },
    /** Drops all times of these targets. */
    remove: (isConcerned: (id: TargetId) => boolean) => {
      waiting = waiting.filter(({ id }) => !isConcerned(id));
      awaitFirst();
    },
  };
}
