import type { Log } from "../log.ts";
import { type Clock, LONGEST_TIMER_MS } from "./clock.ts";
import { type Cron, createCron, type Gaps } from "./cron.ts";

/** A cron expression in UTC (five fields, or six with seconds), or a plain interval. */
export type ScheduleExpression =
  | { readonly kind: "cron"; readonly expression: string }
  | { readonly kind: "interval"; readonly ms: number };

/** Calls back at each tick of a schedule. */
export interface Ticker {
  /** The time between the last tick and the next one, milliseconds. */
  gapMs(): number;
  /** The time between the last tick and the third one after it, milliseconds: a schedule may rest at night. */
  threeGapsMs(): number;
  /** Calls back at each tick until the result is called. */
  start(onTick: () => void): () => void;
}

/** Ticks on the given clock, at the runs of a cron expression or at intervals. */
export function createTicker(expression: ScheduleExpression, clock: Clock, log: Log): Ticker {
  return expression.kind === "cron"
    ? cronTicker(createCron(expression.expression), clock, log)
    : intervalTicker(expression.ms, clock);
}

/** The shortest and the longest time between two ticks of a schedule, milliseconds. */
export function gapsMs(expression: ScheduleExpression): Gaps {
  if (expression.kind === "interval") return { shortest: expression.ms, longest: expression.ms };
  return createCron(expression.expression).gapsMs();
}

/** A tick that is later than this is logged. */
const LATE_MS = 1000;

/** One tick replaces all missed ticks. If the clock is set back, ticks follow it. */
function cronTicker(cron: Cron, clock: Clock, log: Log): Ticker {
  const begin = (nowMs: number) => {
    const next = cron.nextRun(nowMs);
    // As if there had been a tick at the usual distance before the first one.
    return runsFrom(Math.min(nowMs, 2 * next - cron.nextRun(next)));
  };
  let runs = begin(clock.now());

  /** A tick, and the three after it. */
  function runsFrom(lastMs: number): readonly [last: number, next: number, third: number] {
    const next = cron.nextRun(lastMs);
    return [lastMs, next, cron.nextRun(cron.nextRun(next))];
  }

  return {
    gapMs: () => runs[1] - runs[0],
    threeGapsMs: () => runs[2] - runs[0],
    start: (onTick) => {
      runs = begin(clock.now());
      let cancel = wait(cron.nextRun(clock.now()));
      function wait(dueAt: number): () => void {
        const startedAt = clock.now();
        return clock.after(Math.min(Math.max(0, dueAt - startedAt), LONGEST_TIMER_MS), () => {
          const now = clock.now();
          const isSetBack = now < startedAt;
          // After a step back, a run may be due right now.
          const runAt = isSetBack ? cron.nextRun(now - LATE_MS) : dueAt;
          const isDue = now >= runAt;
          cancel = wait(isDue || isSetBack ? cron.nextRun(now) : dueAt);
          if (isSetBack) runs = begin(now);
          if (!isDue) return;
          runs = runsFrom(runAt);
          const lateMs = now - runAt;
          if (lateMs > LATE_MS)
            log.warn({ lateMs }, "Polling late: the process was suspended or the clock was set");
          onTick();
        });
      }
      return () => cancel();
    },
  };
}

/** Ticks stay aligned with the first one, however late the clock calls. */
function intervalTicker(intervalMs: number, clock: Clock): Ticker {
  return {
    gapMs: () => intervalMs,
    threeGapsMs: () => 3 * intervalMs,
    start: (onTick) => {
      let dueAt = clock.monotonic() + intervalMs;
      let cancel = clock.after(intervalMs, tick);
      function tick(): void {
        const lateMs = clock.monotonic() - dueAt;
        dueAt += intervalMs * (1 + Math.max(0, Math.floor(lateMs / intervalMs)));
        cancel = clock.after(Math.max(0, dueAt - clock.monotonic()), tick);
        onTick();
      }
      return () => cancel();
    },
  };
}
