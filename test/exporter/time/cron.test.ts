import { createTask } from "node-cron";
import { describe, expect, test } from "vitest";
import { createCron, cronFaults } from "../../../exporter/time/cron.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  ["* * * * * *", 1000],
  ["*/25 * * * * *", 25_000],
  ["0-10 0 * * * *", HOUR - 10_000],
  ["*/7 * * * *", 7 * MINUTE],
  ["0 22-6 * * *", 16 * HOUR],
  ["0 9 * * MON-FRI", 3 * DAY],
  ["* 9-17 * * 1-5", 2 * DAY + 15 * HOUR + MINUTE],
  ["0 0 31 * *", 61 * DAY],
  ["0 0 * 2 *", 338 * DAY],
  ["0 0 L * *", 31 * DAY],
  ["0 0 1-7 * 1", 35 * DAY],
  ["0 0 29 2 *", 1461 * DAY],
  ["0 0 29 2 1", 10_227 * DAY],
])("the longest gap of %s is %i ms", (expression, gap) => {
  expect(createCron(expression).gapsMs().longest).toBe(gap);
});

test("the shortest gap is that of the busiest hour", () => {
  expect(createCron("* 8-18 * * *").gapsMs().shortest).toBe(MINUTE);
  expect(createCron("0 9 * * MON-FRI").gapsMs().shortest).toBe(DAY);
});

test.each([
  ["* * * * *", "2026-11-18T12:00:00.000Z", "2026-11-18T12:01:00.000Z"],
  ["* * * * *", "2026-11-18T11:59:59.999Z", "2026-11-18T12:00:00.000Z"],
  ["30 5 0 * * *", "2028-02-28T12:00:00.000Z", "2028-02-29T00:05:30.000Z"],
  ["0 22-6 * * *", "2026-11-18T22:30:00.000Z", "2026-11-18T23:00:00.000Z"],
  ["0 0 15W * *", "2026-11-01T00:00:00.000Z", "2026-11-16T00:00:00.000Z"],
  ["0 0 29 2 1", "2044-02-29T00:00:00.000Z", "2072-02-29T00:00:00.000Z"],
])("the run of %s after %s is %s", (expression, after, wanted) => {
  expect(new Date(createCron(expression).nextRun(Date.parse(after))).toISOString()).toBe(wanted);
});

describe("node-cron and croner agree on the days of", () => {
  test.each([
    "1-5 * *",
    "13 * 5",
    "L 2-4 0",
    "1,15W * 2-4",
    "*/3 * 1#2",
    "? * 5L",
    "31W 6-8 *",
    "* 3 sat-mon",
    "LW * 5",
    "1-7 * 1",
  ])("%s", (fields) => {
    const expression = `0 0 ${fields}`;
    const task = createTask(expression, () => {}, { timezone: "UTC" });
    const end = Date.UTC(2027, 0, 1);
    const days = Array.from({ length: 365 }, (_, day) => Date.UTC(2026, 0, 1) + day * DAY);
    const cron = createCron(expression);
    const runs: number[] = [];
    for (let at = cron.nextRun((days[0] ?? 0) - 1); at < end; at = cron.nextRun(at)) runs.push(at);
    expect(runs).toEqual(days.filter((day) => task.match(new Date(day))));
    void task.destroy();
  });
});

test("createCron() fails for an expression that never runs", () => {
  expect(() => createCron("0 0 31 2 *")).toThrow("impossible");
  expect(() => createCron("0 0 1 * 1#2").nextRun(0)).toThrow('Cannot schedule "0 0 1 * 1#2": it never runs');
});

test.each([
  ["0 0 31 2 *", [{ kind: "never" }]],
  ["0 0 1 * 1#2", [{ kind: "never" }]],
  ["0 0 L-3 * *", [{ kind: "field", name: "day of month", value: "L-3" }]],
  ["0 0 5,LW * *", [{ kind: "field", name: "day of month", value: "5,LW" }]],
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
])("cronFaults() of %s are %j", (expression, faults) => {
  expect(cronFaults(expression)).toEqual(faults);
});
