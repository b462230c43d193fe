import { createTask, parse } from "node-cron";
import type { Clock } from "../clock.ts";
import type { ScheduleExpression } from "../config/config.ts";
import type { Log } from "../log.ts";

/** When to poll. */
export interface Timetable {
  /** The longest time between two ticks, milliseconds. */
  readonly longestGapMs: number;
  /** Calls back at each tick until the result is called. */
  start(onTick: () => void): () => void;
}

export type CreateTimetable = (expression: ScheduleExpression, clock: Clock, log: Log) => Timetable;

/** Cron expressions run by node-cron in UTC, intervals by the clock. */
export const createTimetable: CreateTimetable = (expression, clock, log) =>
  expression.kind === "cron"
    ? cronTimetable(expression.expression, log)
    : intervalTimetable(expression.ms, clock);

/** The longest time between two ticks, milliseconds. */
export function longestGapMs(expression: ScheduleExpression): number {
  return expression.kind === "cron" ? longestGap(expression.expression) : expression.ms;
}

function cronTimetable(expression: string, log: Log): Timetable {
  return {
    longestGapMs: longestGap(expression),
    start: (onTick) => {
      const task = createTask(expression, onTick, {
        timezone: "UTC",
        logger: {
          debug: (message) => log.debug({}, String(message)),
          info: (message) => log.debug({}, message),
          warn: (message) => log.warn({}, message),
          error: (message) => log.error({}, String(message)),
        },
      });
      void task.start();
      return () => void task.destroy();
    },
  };
}

/** Ticks stay on the grid of the first one, however late the clock calls. */
function intervalTimetable(intervalMs: number, clock: Clock): Timetable {
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

/** Every combination of date and weekday comes again within 28 years, leap days too. */
const DAYS_TO_LOOK_AT = 2 * 28 * 366;

/**
 * The longest gap between two ticks of a cron expression, milliseconds, exact over all calendars.
 * @throws RangeError when there is no tick at all, as on 30 February.
 */
function longestGap(expression: string): number {
  const task = createTask(expression, () => {}, { timezone: "UTC" });
  const seconds = secondsOfDay(expression);
  const [first = 0, last = 0] = [seconds[0], seconds.at(-1)];
  let longest = 0;
  for (const [index, second] of seconds.entries())
    longest = Math.max(longest, second - (seconds[index - 1] ?? second));
  if (/( \*){3}$/.test(expression)) return Math.max(longest, 86_400 - last + first) * 1000;
  let previous: number | undefined;
  for (let day = 0; day < DAYS_TO_LOOK_AT; day++) {
    const start = Date.UTC(2000, 0, 1 + day) / 1000;
    if (!task.match(new Date((start + first) * 1000))) continue;
    if (previous !== undefined) longest = Math.max(longest, start + first - previous);
    previous = start + last;
  }
  void task.destroy();
  if (previous === undefined) throw new RangeError(`Cannot schedule "${expression}": it never comes`);
  return Math.max(longest, 1) * 1000;
}

/** The ticks of a day that has any, as seconds after midnight, in order. */
function secondsOfDay(expression: string): readonly number[] {
  const { hour, minute, second } = parse(expression);
  const seconds = hour.flatMap((h) => minute.flatMap((m) => second.map((s) => h * 3600 + m * 60 + s)));
  return seconds.toSorted((a, b) => a - b);
}
