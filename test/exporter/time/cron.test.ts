import * as fc from "fast-check";
import { createTask, getTasks } from "node-cron";
import { describe, expect, test } from "vitest";
import { createCron, cronFaults } from "../../../exporter/time/cron.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("createCron().longestGapMs()", () => {
  test.each([
    ["* * * * * *", 1000],
    ["*/25 * * * * *", 25_000],
    ["0-10 0 * * * *", HOUR - 10_000],
    ["* * * * *", MINUTE],
    ["*/7 * * * *", 7 * MINUTE],
    ["0 22-6 * * *", 16 * HOUR],
    ["0 9,17 * * *", 16 * HOUR],
    ["0 9 * * 1-5", 3 * DAY],
    ["0 9 * * MON-FRI", 3 * DAY],
    ["* 9-17 * * 1-5", 2 * DAY + 15 * HOUR + MINUTE],
    ["0 0 1 * *", 31 * DAY],
    ["0 0 31 * *", 61 * DAY],
    ["0 0 L * *", 31 * DAY],
    ["0 0 L-3 2 *", 366 * DAY],
    ["0 0 * * 5L", 35 * DAY],
    ["0 0 1-7 * 1", 35 * DAY],
    ["0 0 29 2 *", 1461 * DAY],
    ["0 0 29 2 1", 10_227 * DAY],
  ])("of %s is %i", (expression, gap) => {
    expect(createCron(expression).longestGapMs()).toBe(gap);
  });

  test("is the longest of the gaps between the runs", () => {
    fc.assert(
      fc.property(field(0, 59), field(0, 23), field(0, 6), (minute, hour, weekday) => {
        const cron = createCron(`${minute} ${hour} * * ${weekday}`);
        let [previous, longest] = [cron.nextRun(Date.UTC(2026, 0, 1)), 0];
        while (previous < Date.UTC(2026, 0, 16)) {
          const next = cron.nextRun(previous);
          longest = Math.max(longest, next - previous);
          previous = next;
        }
        expect(longest).toBe(cron.longestGapMs());
      }),
      { numRuns: 30 },
    );
  });
});

describe("createCron().nextRun()", () => {
  test.each([
    ["* * * * *", "2026-11-18T12:00:00.000Z", "2026-11-18T12:01:00.000Z"],
    ["* * * * *", "2026-11-18T11:59:59.999Z", "2026-11-18T12:00:00.000Z"],
    ["30 5 0 * * *", "2028-02-28T12:00:00.000Z", "2028-02-29T00:05:30.000Z"],
    ["0 22-6 * * *", "2026-11-18T22:30:00.000Z", "2026-11-18T23:00:00.000Z"],
    ["0 0 1 1 *", "2026-11-18T12:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["0 0 15W * *", "2026-11-01T00:00:00.000Z", "2026-11-16T00:00:00.000Z"],
    ["0 0 29 2 1", "2026-11-18T12:00:00.000Z", "2044-02-29T00:00:00.000Z"],
    ["0 0 29 2 1", "2044-02-29T00:00:00.000Z", "2072-02-29T00:00:00.000Z"],
  ])("of %s after %s is %s", (expression, after, wanted) => {
    expect(new Date(createCron(expression).nextRun(Date.parse(after))).toISOString()).toBe(wanted);
  });

  test("matches for node-cron, and no earlier minute does", () => {
    fc.assert(
      fc.property(
        field(0, 59),
        field(0, 23),
        fc.constantFrom("*", "?", "1-5", "L", "L-2", "15W", "*/3"),
        fc.constantFrom("*", "0", "1#2", "5L", "2-4", "sat"),
        fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2029, 0, 1) }),
        (minute, hour, day, weekday, after) => {
          const expression = `${minute} ${hour} ${day} * ${weekday}`;
          fc.pre(cronFaults(expression).length === 0);
          const task = createTask(expression, () => {}, { timezone: "UTC" });
          const next = createCron(expression).nextRun(after);
          expect(task.match(new Date(next))).toBe(true);
          const firstMinute = Math.floor(after / MINUTE) * MINUTE + MINUTE;
          const checkedUntil = Math.min(next, firstMinute + DAY);
          const minutes = Array.from(
            { length: Math.max(0, Math.ceil((checkedUntil - firstMinute) / MINUTE)) },
            (_, index) => firstMinute + index * MINUTE,
          );
          expect(minutes.filter((at) => task.match(new Date(at)))).toEqual([]);
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe("createCron()", () => {
  test("fails for a date that does not exist", () => {
    expect(() => createCron("0 0 31 2 *")).toThrow("impossible");
  });

  test("fails for an expression that never runs", () => {
    const cron = createCron("0 0 1 * 1#2");
    expect(() => cron.nextRun(0)).toThrow('Cannot schedule "0 0 1 * 1#2": it never runs');
    expect(() => cron.longestGapMs()).toThrow(RangeError);
  });

  test("leaves nothing behind in node-cron's list of tasks", () => {
    const before = getTasks().size;
    createCron("* * * * *");
    expect(getTasks().size).toBe(before);
  });
});

describe("cronFaults()", () => {
  test.each([
    ["0 0 31 2 *", [{ kind: "never" }]],
    ["0 0 1 * 1#2", [{ kind: "never" }]],
    ["0 0 L-30 2 *", [{ kind: "never" }]],
    ["0-9999999999 * * * *", [{ kind: "field", name: undefined, value: "0-9999999999" }]],
    [
      "0 0 32 * 8",
      [
        { kind: "field", name: "day of month", value: "32" },
        { kind: "field", name: "day of week", value: "8" },
      ],
    ],
    ["0 0 29 2 1", []],
    ["*/5 0-23 ? JAN-MAR sun", []],
  ])("of %s are %j", (expression, faults) => {
    expect(cronFaults(expression)).toEqual(faults);
  });
});

/** A list of one to three values, with a range or steps at times. */
function field(min: number, max: number): fc.Arbitrary<string> {
  const value = fc.integer({ min, max }).map(String);
  const list = fc.array(value, { minLength: 1, maxLength: 3 }).map((values) => values.join(","));
  return fc.oneof(list, fc.constantFrom("*", "*/2", "*/5", `${min}-${max}`));
}
