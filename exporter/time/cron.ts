import { createTask, type ParsedFields, parse, validateDetailed } from "node-cron";
import { DAY_MS } from "./window.ts";

/** The runs of a cron expression, in UTC. node-cron parses the expression and decides which days match. */
export interface Cron {
  /** The first run after an instant, epoch milliseconds. */
  nextRun(afterMs: number): number;
  /** The longest time between two runs, milliseconds. */
  longestGapMs(): number;
}

/** @throws if the expression is invalid; its functions throw a RangeError if the expression never runs. */
export function createCron(expression: string): Cron {
  const fields = sorted(parse(expression));
  const daysOfMonth = matchingDays(expression, fields);

  function nextRun(afterMs: number): number {
    const after = new Date(afterMs);
    const thisMonth = after.getUTCFullYear() * 12 + after.getUTCMonth();
    for (let month = thisMonth; month <= thisMonth + CYCLE_MONTHS; month++) {
      for (const dayMs of daysOfMonth(month)) {
        const time = timeAfter(fields, afterMs - dayMs);
        if (time !== undefined) return dayMs + time;
      }
    }
    throw neverRuns(expression);
  }

  function longestGapMs(): number {
    const days: number[] = [];
    for (let month = 0; month < CYCLE_MONTHS; month++) {
      for (const dayMs of daysOfMonth(CYCLE_START + month)) days.push(dayMs / DAY_MS);
    }
    const [first] = days;
    if (first === undefined) throw neverRuns(expression);
    days.push(first + CYCLE_DAYS);
    const { second, minute, hour } = fields;
    const minutes = repeated(repeated(INSTANT, second, SECOND_MS), minute, MINUTE_MS);
    return repeated(repeated(minutes, hour, HOUR_MS), days, DAY_MS).longestGap;
  }

  return { nextRun, longestGapMs };
}

/**
 * Whether a valid expression names days of the month and days of the week. It runs on days that match both; most crons
 * run on days that match either.
 */
export function needsBothDays(expression: string): boolean {
  const [daysOfMonth = "", , daysOfWeek = ""] = expression.trim().split(/\s+/).slice(-3);
  const { dayOfMonth, dayOfWeek } = parse(expression);
  const isEveryDay = new Set(dayOfMonth).size === 31 && new Set(dayOfWeek).size === 7;
  return !ANY_DAY.test(daysOfMonth) && !ANY_DAY.test(daysOfWeek) && !isEveryDay;
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
  // node-cron expands a range before it checks it: 0-9999999999 would take all memory.
  const tooLong = expression.split(" ").filter((field) => field.length > 200 || /\d{3}/.test(field));
  if (tooLong.length > 0) return tooLong.map((value) => ({ kind: "field", name: undefined, value }));
  const { errors } = validateDetailed(expression);
  if (errors.length === 0) return runs(expression) ? [] : [{ kind: "never" }];
  return errors.map(({ field, value = "", message }) =>
    message.includes("impossible")
      ? { kind: "never" }
      : { kind: "field", name: FIELD_NAMES.get(field) ?? field, value },
  );
}

/** node-cron notices 31 February, but not the first of a month that is its second Monday. */
function runs(expression: string): boolean {
  try {
    createCron(expression).nextRun(0);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ["dayOfMonth", "day of month"],
  ["dayOfWeek", "day of week"],
]);

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Between 1901 and 2099 the calendar repeats after 28 years, leap days and weekdays included. */
const CYCLE_MONTHS = 28 * 12;
const CYCLE_DAYS = 28 * 365 + 7;
const CYCLE_START = 2000 * 12;

/** The fields that are always numbers: a range such as 22-6 arrives out of order. */
type Fields = Pick<ParsedFields, "second" | "minute" | "hour" | "month"> & { readonly isEveryDay: boolean };

function sorted({ second, minute, hour, month, dayOfMonth, dayOfWeek }: ParsedFields): Fields {
  const [seconds = [], minutes = [], hours = []] = [second, minute, hour].map((values) =>
    values.toSorted((one, other) => one - other),
  );
  const isEveryDay = new Set(dayOfMonth).size === 31 && new Set(dayOfWeek).size === 7;
  return { second: seconds, minute: minutes, hour: hours, month, isEveryDay };
}

/** Returns the midnights of a month's matching days, in order. Months are counted from the year 0. */
function matchingDays(expression: string, fields: Fields): (month: number) => readonly number[] {
  const task = createTask(expression, () => {}, { timezone: "UTC" });
  // It is never started, but node-cron would keep it forever.
  void task.destroy();
  const firstTime = timeAfter(fields, -1) ?? 0;
  // node-cron takes 10 µs for a day. Which days of a month match depends only on its number, length and first weekday.
  const known = new Map<string, readonly number[]>();
  return (month) => {
    const [year, monthOfYear] = [Math.floor(month / 12), month % 12];
    if (!fields.month.includes(monthOfYear + 1)) return [];
    const firstMs = Date.UTC(year, monthOfYear, 1);
    const length = (Date.UTC(year, monthOfYear + 1, 1) - firstMs) / DAY_MS;
    const kind = `${monthOfYear} ${length} ${new Date(firstMs).getUTCDay()}`;
    const offsets =
      known.get(kind) ??
      Array.from({ length }, (_, day) => day * DAY_MS).filter(
        (offset) => fields.isEveryDay || task.match(new Date(firstMs + offset + firstTime)),
      );
    known.set(kind, offsets);
    return offsets.map((offset) => firstMs + offset);
  };
}

/** The next time of day after the given one, in milliseconds since midnight. */
function timeAfter({ second, minute, hour }: Fields, afterMs: number): number | undefined {
  for (const eachHour of hour) {
    const hourMs = eachHour * HOUR_MS;
    if (hourMs + HOUR_MS <= afterMs) continue;
    for (const eachMinute of minute) {
      const minuteMs = hourMs + eachMinute * MINUTE_MS;
      if (minuteMs + MINUTE_MS <= afterMs) continue;
      const found = second.find((each) => minuteMs + each * SECOND_MS > afterMs);
      if (found !== undefined) return minuteMs + found * SECOND_MS;
    }
  }
  return undefined;
}

/** The runs within a span of time, milliseconds: the first, the last and the longest gap between two of them. */
interface Span {
  readonly first: number;
  readonly last: number;
  readonly longestGap: number;
}

const INSTANT: Span = { first: 0, last: 0, longestGap: 0 };

/** Repeats a span at each of the values, in order, as a minute's runs repeat within an hour. */
function repeated({ first, last, longestGap }: Span, values: readonly number[], unitMs: number): Span {
  let longest = longestGap;
  let [previous = 0] = values;
  for (const value of values) {
    if (value > previous) longest = Math.max(longest, (value - previous) * unitMs - (last - first));
    previous = value;
  }
  return { first: (values[0] ?? 0) * unitMs + first, last: previous * unitMs + last, longestGap: longest };
}

function neverRuns(expression: string): RangeError {
  return new RangeError(`Cannot schedule "${expression}": it never runs`);
}
