import type { PairUsage, UsageReading } from "../readings/reading.ts";
import type { Readings } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { BUCKET_MS, type Window, windowAt } from "../time/window.ts";
import { isOther } from "./target-rows.ts";
import type { Axis } from "./view.ts";

/**
 * What was spent in each hour of the running UTC day. It is kept in memory only, and begins when the exporter
 * starts.
 */
export interface SpendHours {
  /** Undefined: no answer of this day is known. */
  of(axis: Axis, nowMs: number): HourlySpend | undefined;
  start(): void;
  stop(): void;
}

/**
 * Credits by hour, from 00:00 UTC to the last answer. An hour ends with the last answer in it; undefined:
 * unknown, or no answer in the last quarter of an hour.
 */
export interface HourlySpend {
  readonly window: Window;
  readonly total: readonly (number | undefined)[];
  /**
   * By model or app, where an answer names it. Pairs that were part of `_other` at the end of the hour before are left
   * out, so that an amount is a lower bound.
   */
  readonly byName: ReadonlyMap<string, readonly (number | undefined)[]>;
}

/** An answer: what was spent in the day up to an instant. */
interface Spent {
  readonly dataMs: number;
  readonly credits: number | undefined;
  /** Without `_other`. */
  readonly pairs: ReadonlyMap<string, PairUsage>;
  /** Whether no pair is part of `_other`. */
  readonly isWhole: boolean;
}

const DAY_QUERY = targetId("analytics", "day");

/** Far more often than answers come, so that the last answer of an hour is found. */
const LOOK_EVERY_MS = 15_000;

/** An answer that is older at the end of an hour would give a part of the hour to the next one. */
const MOST_BEFORE_MS = 15 * 60_000;

export function createSpendHours({
  clock,
  readings,
}: {
  readonly clock: Clock;
  readonly readings: Pick<Readings<unknown>, "shown" | "onForget">;
}): SpendHours {
  let window: Window | undefined;
  /** The first answer of the day, then the last one of each hour; the oldest first. */
  let answers: readonly Spent[] = [];
  let isStopped = false;
  let cancel: (() => void) | undefined;

  readings.onForget((id) => {
    if (id === DAY_QUERY) answers = [];
  });

  function record(): void {
    const shown = readings.shown(DAY_QUERY);
    const value = shown?.value;
    if (value?.kind !== "usage" || !shown?.shows(value.window)) return;
    if (answers.at(-1)?.dataMs === value.dataMs) return;
    if (window?.startMs !== value.window.startMs) answers = [];
    ({ window } = value);
    const { dataMs } = value;
    // The clock may have been set back.
    const past = answers.filter((one) => one.dataMs < dataMs);
    const kept = past.filter((one, index) => index === 0 || hourOf(one.dataMs) !== hourOf(dataMs));
    answers = [...kept, spentOf(value)];
  }

  function hourOf(dataMs: number): number {
    // An answer at 10:00 contains all of the hour before, and nothing of the next one.
    return Math.ceil((dataMs - (window?.startMs ?? 0)) / BUCKET_MS.hour) - 1;
  }

  function tick(): void {
    record();
    if (!isStopped) cancel = clock.after(LOOK_EVERY_MS, tick);
  }

  return {
    of: (axis, nowMs) => {
      const known = answers.filter(({ dataMs }) => dataMs <= nowMs);
      const last = known.at(-1);
      const dayMs = windowAt("day", nowMs).startMs;
      if (!window || !last || dayMs !== window.startMs) return undefined;
      const hours = Array.from({ length: hourOf(last.dataMs) + 1 }, (_, hour) => hour);
      const parts = hours.map((hour) => partOf(known, hour, dayMs));
      const byHour = parts.map((part) => part && creditsBy(axis, part));
      const names = new Set(byHour.flatMap((credits) => [...(credits?.keys() ?? [])]));
      const amountsOf = (name: string) => byHour.map((credits) => credits && (credits.get(name) ?? 0));
      return {
        window,
        total: parts.map((part) => part && totalOf(part)),
        byName: new Map([...names].map((name) => [name, amountsOf(name)])),
      };
    },
    start: tick,
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}

/** The answers at both ends of an hour, or of its part since the start. */
interface Part {
  readonly before: Spent;
  readonly after: Spent;
}

/** Undefined: nothing was answered near one of the ends. */
function partOf(answers: readonly Spent[], hour: number, dayMs: number): Part | undefined {
  const [first, last] = [answers[0], answers.at(-1)];
  const startMs = dayMs + hour * BUCKET_MS.hour;
  const endMs = startMs + BUCKET_MS.hour;
  const isLast = last !== undefined && last.dataMs > startMs && last.dataMs <= endMs;
  const after = isLast ? last : answerAt(answers, endMs);
  const isFirst = first !== undefined && first !== after && first.dataMs > startMs && first.dataMs <= endMs;
  const before = hour === 0 ? NOTHING : (answerAt(answers, startMs) ?? (isFirst ? first : undefined));
  return after && before && { before, after };
}

/** The last answer before an instant, if it is recent then. */
function answerAt(answers: readonly Spent[], atMs: number): Spent | undefined {
  return answers.findLast(({ dataMs }) => dataMs <= atMs && dataMs >= atMs - MOST_BEFORE_MS);
}

/** What is known at 00:00 UTC. */
const NOTHING: Spent = { dataMs: 0, credits: 0, pairs: new Map(), isWhole: true };

function totalOf({ before, after }: Part): number | undefined {
  return after.credits === undefined || before.credits === undefined
    ? undefined
    : after.credits - before.credits;
}

function creditsBy(axis: Axis, { before, after }: Part): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [id, pair] of after.pairs) {
    const start = startOf(before, id);
    if (pair.credits === undefined || start === undefined) continue;
    sums.set(pair[axis], (sums.get(pair[axis]) ?? 0) + pair.credits - start);
  }
  return sums;
}

/** What a pair had spent before; undefined: unknown. */
function startOf({ pairs, isWhole }: Spent, id: string): number | undefined {
  const pair = pairs.get(id);
  return pair ? pair.credits : isWhole ? 0 : undefined;
}

function spentOf({ dataMs, credits, pairs, foldedPairs, truncated }: UsageReading): Spent {
  const named = pairs.filter((pair) => !isOther(pair));
  return {
    dataMs,
    credits,
    pairs: new Map(named.map((pair) => [JSON.stringify([pair.model, pair.app]), pair])),
    isWhole: foldedPairs === 0 && !truncated && named.length === pairs.length,
  };
}
