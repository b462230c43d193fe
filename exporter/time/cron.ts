import { Cron as Runs } from "croner";
import { type ParsedFields, parse, validateDetailed } from "node-cron";
import { DAY_MS } from "./window.ts";

/** The runs of a cron expression, in UTC. node-cron decides what an expression means, croner when it runs. */
export interface Cron {
  /** The first run after an instant, epoch milliseconds. */
  nextRun(afterMs: number): number;
  /** The shortest and the longest time between two runs, milliseconds. */
  gapsMs(): Gaps;
}

export interface Gaps {
  readonly shortest: number;
  readonly longest: number;
}

/** @throws if the expression is invalid; its functions throw a RangeError if the expression never runs. */
export function createCron(expression: string): Cron {
  const fields = parse(expression);
  const runs = runsOf(fields);
  return {
    nextRun: (afterMs) => {
      const run = runs.nextRun(new Date(afterMs));
      if (!run) throw new RangeError(`Cannot schedule "${expression}": it never runs`);
      return run.getTime();
    },
    gapsMs: () => {
      const times = timesOfDay(fields);
      const [first = 0, last = 0] = [times[0], times.at(-1)];
      const [inDay, days] = [stepsOf(times), stepsOf(daysOf(fields))];
      return {
        shortest: Math.min(inDay.shortest, days.shortest - (last - first)),
        longest: Math.max(inDay.longest, days.longest - (last - first)),
      };
    },
  };
}

/**
 * Whether a valid expression names days of the month and days of the week. It runs on days that match both; most crons
 * run on days that match either.
 */
export function needsBothDays(expression: string): boolean {
  const [daysOfMonth = "", , daysOfWeek = ""] = expression.trim().split(/\s+/).slice(-3);
  return !ANY_DAY.test(daysOfMonth) && !ANY_DAY.test(daysOfWeek) && !isEveryDay(parse(expression));
}

/** Other ways to write every day, such as `1-31`, name the days for most crons. */
const ANY_DAY = /^[*?](?:\/1)?$/;

/** Why an expression of five or six fields is invalid. */
export type CronFault =
  /** `name` is missing if the field was rejected before node-cron parsed it. */
  | { readonly kind: "field"; readonly name: string | undefined; readonly value: string }
  /** No month of the expression has the day that it names. */
  | { readonly kind: "never" };

/** All problems of an expression of five or six fields; empty if it is valid. */
export function cronFaults(expression: string): readonly CronFault[] {
  const written = expression.split(" ");
  // node-cron expands a range before it checks it: 0-9999999999 would take all memory.
  const tooLong = written.filter((field) => field.length > 200 || /\d{3}/.test(field));
  if (tooLong.length > 0) return tooLong.map((value) => ({ kind: "field", name: undefined, value }));
  // croner does not know these forms.
  const unknown = written.filter((field) => /L-|LW,|,LW/i.test(field));
  if (unknown.length > 0) return unknown.map((value) => ({ kind: "field", name: "day of month", value }));
  const { errors } = validateDetailed(expression);
  if (errors.length === 0) return runsOf(parse(expression)).nextRun() ? [] : [{ kind: "never" }];
  return errors.map(({ field, value = "", message }) =>
    message.includes("impossible")
      ? { kind: "never" }
      : { kind: "field", name: FIELD_NAMES.get(field) ?? field, value },
  );
}

const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ["dayOfMonth", "day of month"],
  ["dayOfWeek", "day of week"],
]);

/** Fields expanded by node-cron, since croner refuses ranges such as 22-6. */
function runsOf({ second, minute, hour, dayOfMonth, month, dayOfWeek }: ParsedFields): Runs {
  const expanded = [second, minute, hour, dayOfMonth, month, dayOfWeek].map(String).join(" ");
  return new Runs(expanded, { timezone: "UTC", domAndDow: true });
}

function isEveryDay({ dayOfMonth, month, dayOfWeek }: ParsedFields): boolean {
  return new Set(dayOfMonth).size === 31 && month.length === 12 && new Set(dayOfWeek).size === 7;
}

/** Milliseconds since midnight. */
function timesOfDay({ second, minute, hour }: ParsedFields): readonly number[] {
  const minutes = hour.flatMap((eachHour) => minute.map((each) => eachHour * 60 + each));
  const seconds = minutes.flatMap((eachMinute) => second.map((each) => eachMinute * 60 + each));
  return seconds.toSorted((one, other) => one - other).map((each) => each * 1000);
}

/** Days with a run, enough to contain the longest gap: the calendar repeats after 28 years. */
function daysOf(fields: ParsedFields): readonly number[] {
  if (isEveryDay(fields)) return [0, DAY_MS];
  const midnights = runsOf({ ...fields, second: [0], minute: [0], hour: [0] });
  const days: number[] = [];
  for (let day = midnights.nextRun(START); day && days.length < MOST_DAYS; day = midnights.nextRun(day)) {
    days.push(day.getTime());
    if (day > END) break;
  }
  return days;
}

const START = new Date("2000-01-01T00:00:00Z");
const END = new Date("2056-01-01T00:00:00Z");
const MOST_DAYS = 500;

function stepsOf(instants: readonly number[]): Gaps {
  let [shortest, longest] = [Number.POSITIVE_INFINITY, 0];
  for (const [index, at] of instants.entries()) {
    const before = instants[index - 1];
    if (before === undefined) continue;
    shortest = Math.min(shortest, at - before);
    longest = Math.max(longest, at - before);
  }
  return { shortest, longest };
}
