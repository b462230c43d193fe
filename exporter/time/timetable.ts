import { createTask, parse } from "node-cron";
import type { Clock } from "./clock.ts";
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

/** Cron expressions in UTC as node-cron reads them, and intervals; both wait by the clock that is given. */
export const createTimetable: CreateTimetable = (expression, clock, log) =>
  expression.kind === "cron"
    ? cronTimetable(calendarOf(expression.expression), clock, log)
    : intervalTimetable(expression.ms, clock);

/** The longest time between two ticks, milliseconds. */
export function longestGapMs(expression: ScheduleExpression): number {
  return expression.kind === "cron" ? longestGap(calendarOf(expression.expression)) : expression.ms;
}

/** How often at least the wall clock is looked at: one that is stepped, or stood still, fires no timer. */
const LONGEST_WAIT_MS = 30_000;

/** Beyond it, a late tick is worth a line in the log. */
const LATE_MS = 1000;

/** However many ticks were missed, one makes up for them; a clock that is set back is followed back. */
function cronTimetable(calendar: Calendar, clock: Clock, log: Log): Timetable {
  return {
    longestGapMs: longestGap(calendar),
    start: (onTick) => {
      let cancel = wait(tickAfter(calendar, clock.now()));
      function wait(dueAt: number): () => void {
        const startedAt = clock.now();
        return clock.after(Math.min(Math.max(0, dueAt - startedAt), LONGEST_WAIT_MS), () => {
          const now = clock.now();
          const isDue = now >= dueAt;
          cancel = wait(isDue || now < startedAt ? tickAfter(calendar, now) : dueAt);
          if (!isDue) return;
          const lateMs = now - dueAt;
          if (lateMs > LATE_MS)
            log.warn({ lateMs }, "Polling late: the process stood still or the clock was set");
          onTick();
        });
      }
      return () => cancel();
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

/** When a cron expression ticks. */
interface Calendar {
  readonly expression: string;
  /** The ticks of a day that has any, as milliseconds after midnight, in order. */
  readonly times: readonly number[];
  readonly isEveryDay: boolean;
  /** Whether it ticks on the day that begins at that instant. */
  readonly holds: (dayMs: number) => boolean;
}

const DAY_MS = 86_400_000;

function calendarOf(expression: string): Calendar {
  // Never started: it is asked for the days, the months and the weekdays that the expression names.
  const task = createTask(expression, () => {}, { timezone: "UTC" });
  const times = timesOfDay(expression);
  const [first = 0] = times;
  return {
    expression,
    times,
    isEveryDay: /( \*){3}$/.test(expression),
    holds: (dayMs) => task.match(new Date(dayMs + first)),
  };
}

function timesOfDay(expression: string): readonly number[] {
  const { hour, minute, second } = parse(expression);
  const seconds = hour.flatMap((h) => minute.flatMap((m) => second.map((s) => h * 3600 + m * 60 + s)));
  return seconds.toSorted((a, b) => a - b).map((at) => at * 1000);
}

/** Every combination of date and weekday comes again within 28 years, leap days too. */
const DAYS_TO_LOOK_AT = 2 * 28 * 366;

/** The first tick after an instant, epoch milliseconds. */
function tickAfter({ expression, times, holds }: Calendar, atMs: number): number {
  const today = Math.floor(atMs / DAY_MS) * DAY_MS;
  for (let day = 0; day < DAYS_TO_LOOK_AT; day++) {
    const dayMs = today + day * DAY_MS;
    const time = times.find((each) => dayMs + each > atMs);
    if (time !== undefined && holds(dayMs)) return dayMs + time;
  }
  throw neverComes(expression);
}

/**
 * The longest gap between two ticks of a cron expression, milliseconds, exact over all calendars.
 * @throws RangeError when there is no tick at all, as on 30 February.
 */
function longestGap({ expression, times, isEveryDay, holds }: Calendar): number {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  let longest = 0;
  for (const [index, time] of times.entries()) longest = Math.max(longest, time - (times[index - 1] ?? time));
  if (isEveryDay) return Math.max(longest, DAY_MS - last + first);
  let previous: number | undefined;
  for (let day = 0; day < DAYS_TO_LOOK_AT; day++) {
    const dayMs = Date.UTC(2000, 0, 1 + day);
    if (!holds(dayMs)) continue;
    if (previous !== undefined) longest = Math.max(longest, dayMs + first - previous);
    previous = dayMs + last;
  }
  if (previous === undefined) throw neverComes(expression);
  return Math.max(longest, 1000);
}

function neverComes(expression: string): RangeError {
  return new RangeError(`Cannot schedule "${expression}": it never comes`);
}
