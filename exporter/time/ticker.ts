import type { Log } from "../log.ts";
import { type Clock, LONGEST_TIMER_MS } from "./clock.ts";
import { type Cron, createCron } from "./cron.ts";

/** A cron expression in UTC (five fields, or six with seconds), or a plain interval. */
export type ScheduleExpression =
  | { readonly kind: "cron"; readonly expression: string }
  | { readonly kind: "interval"; readonly ms: number };

/** Calls back at each tick of a schedule. */
export interface Ticker {
  /** The longest time between two ticks, milliseconds. */
  readonly longestGapMs: number;
  /** Calls back at each tick until the result is called. */
  start(onTick: () => void): () => void;
}

export type CreateTicker = (expression: ScheduleExpression, clock: Clock, log: Log) => Ticker;

/** Ticks on the given clock, at the runs of a cron expression or at intervals. */
export const createTicker: CreateTicker = (expression, clock, log) =>
  expression.kind === "cron"
    ? cronTicker(createCron(expression.expression), clock, log)
    : intervalTicker(expression.ms, clock);

/** The longest time between two ticks of a schedule, milliseconds. */
export function longestGapMs(expression: ScheduleExpression): number {
  return expression.kind === "cron" ? createCron(expression.expression).longestGapMs() : expression.ms;
}

/** A tick that is later than this is logged. */
const LATE_MS = 1000;

/** One tick replaces all missed ticks. If the clock is set back, ticks follow it. */
function cronTicker(cron: Cron, clock: Clock, log: Log): Ticker {
  return {
    longestGapMs: cron.longestGapMs(),
    start: (onTick) => {
      let cancel = wait(cron.nextRun(clock.now()));
      function wait(dueAt: number): () => void {
        const startedAt = clock.now();
        return clock.after(Math.min(Math.max(0, dueAt - startedAt), LONGEST_TIMER_MS), () => {
          const now = clock.now();
          const isSetBack = now < startedAt;
          // The run of the clock that was set back may be this very moment.
          const runAt = isSetBack ? cron.nextRun(now - LATE_MS) : dueAt;
          const isDue = now >= runAt;
          cancel = wait(isDue || isSetBack ? cron.nextRun(now) : dueAt);
          if (!isDue) return;
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
    longestGapMs: intervalMs,
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
