import { describe, expect, test } from "vitest";

import { differences, seriesLike, type SeriesMap } from "../support/series.ts";
import { SOON, type TestApp } from "../support/test-app.ts";
import {
  type Boundary,
  BOUNDARIES,
  expectedSeries,
  type Moment,
  SPENT_AFTER,
  WINDOWED,
} from "./boundaries.ts";
import { RESETS, spend, SPENT, startTimeStage } from "./time-stage.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe.each(BOUNDARIES)("$name", (boundary) => {
  const midnight = Date.parse(boundary.at);

  /** Runs to the boundary and returns the checks for the time after it. */
  async function setUp(prepare: (stage: TestApp) => void) {
    const stage = await startTimeStage(midnight - 90 * SECOND);
    const { gateway, clock } = stage;
    /** The problems at that second. */
    const wrongAt = async (second: number, moment: Moment) => {
      await clock.runTo(midnight + second * SECOND);
      return wrong(boundary, moment, await stage.series());
    };
    /** The problems once the poll of that second was published. */
    const wrongAfter = async (second: number, moment: Moment) => {
      await clock.runTo(midnight + second * SECOND);
      const series = await stage.seriesWhen((seen) => wrong(boundary, moment, seen).length === 0, SOON);
      return wrong(boundary, moment, series);
    };
    expect(await wrongAfter(-80, "before")).toEqual([]);
    prepare(stage);
    expect(await wrongAt(-1, "before")).toEqual([]);
    expect(await wrongAt(1, "after")).toEqual([]);
    await clock.runTo(midnight + 20 * SECOND);
    spend(gateway, SPENT_AFTER, midnight + 10 * SECOND);
    return { stage, wrongAt, wrongAfter };
  }

  test("upstream up", async () => {
    const { wrongAfter } = await setUp(() => {});
    expect(await wrongAfter(98, "next poll")).toEqual([]);
  });

  test("upstream late: its windows turn over 80 seconds after midnight", async () => {
    const { stage, wrongAfter } = await setUp(({ gateway }) => {
      gateway.switches.staleAfterMidnightMs = 80 * SECOND;
    });
    await stage.clock.runTo(midnight + 89 * SECOND);
    const ended = boundary.ends.map((kind) => `aigateway_key_usage_${kind}_credits{key="daily"}`);
    const series = await stage.series();
    expect(ended.filter((name) => series.has(name))).toEqual([]);
    expect(await wrongAfter(98, "next poll")).toEqual([]);
  });

  test("upstream down from a minute before, for six minutes", async () => {
    const { stage, wrongAt, wrongAfter } = await setUp(({ gateway }) => {
      gateway.faults.add({ kind: "status", status: 403 });
    });
    expect(await wrongAt(4 * 60, "outage")).toEqual([]);
    await stage.clock.runTo(midnight + 5 * MINUTE);
    stage.gateway.faults.clear();
    expect(await wrongAfter(6 * 60, "next poll")).toEqual([]);
  });
});

function wrong(boundary: Boundary, moment: Moment, series: SeriesMap): readonly string[] {
  return differences(seriesLike(series, WINDOWED), expectedSeries(boundary, moment));
}

describe.each([
  ["an interval", { keys: "60s", analytics: "60s" }],
  ["a cron expression", { keys: "* * * * *", analytics: "* * * * *" }],
])("with %s as schedule", (_, schedule) => {
  const noon = Date.parse("2026-11-18T12:00:00Z");
  const midnight = Date.parse("2026-11-19T00:00:00Z");
  const day = 'aigateway_key_usage_day_credits{key="daily"}';
  const lag = 'aigateway_exporter_poll_lag_seconds{collector="key"}';

  test.each([
    ["forward", HOUR],
    ["back", -HOUR],
  ])("a clock set %s by an hour neither stops polls nor accumulates them", async (_name, stepMs) => {
    const stage = await startTimeStage(noon, schedule);
    const { clock } = stage;
    await clock.runTo(noon + 90 * SECOND);
    clock.set(clock.now() + stepMs);
    for (const times of await asked(stage, 5)) {
      expect(times).toBeGreaterThanOrEqual(4);
      expect(times).toBeLessThanOrEqual(6);
    }
    const series = await stage.seriesWhen((seen) => seen.get(day) === SPENT, SOON);
    expect(series.get(day)).toBe(SPENT);
    expect(series.get(lag)).toBeLessThan(60);
  });

  test("a clock set forward over midnight ends the day at once", async () => {
    const stage = await startTimeStage(midnight - 30 * MINUTE, schedule);
    const { clock } = stage;
    const shown = await stage.seriesWhen((seen) => seen.get(day) === SPENT, SOON);
    expect(shown.get(day)).toBe(SPENT);
    clock.set(clock.now() + HOUR);
    expect((await stage.series()).has(day)).toBe(false);
  });

  test("a clock set back over midnight hides the day that has not begun yet", async () => {
    const stage = await startTimeStage(midnight + 30 * MINUTE, schedule);
    const { clock } = stage;
    const shown = await stage.seriesWhen((seen) => seen.get(day) === SPENT, SOON);
    expect(shown.get(day)).toBe(SPENT);
    clock.set(clock.now() - HOUR);
    expect((await stage.series()).has(day)).toBe(false);
    for (const times of await asked(stage, 3)) expect(times).toBeGreaterThanOrEqual(2);
  });

  test("a process suspended for ten minutes over midnight hides the previous day", async () => {
    const stage = await startTimeStage(midnight - 5 * MINUTE, schedule);
    const { gateway, clock } = stage;
    const shown = await stage.seriesWhen((seen) => seen.get(day) === SPENT, SOON);
    expect(shown.get(day)).toBe(SPENT);
    gateway.log.clear();
    await clock.jump(midnight + 5 * MINUTE);
    await clock.answered();
    expect((await stage.series()).get(day)).not.toBe(SPENT);
    await clock.runTo(clock.now() + MINUTE);
    // Ten ticks were missed: there is one poll for the new day, and one at its regular time.
    for (const key of RESETS) expect(gateway.log.of("key", key).length).toBeLessThanOrEqual(3);
    const series = await stage.seriesWhen((seen) => seen.get(day) === 0, SOON);
    expect(series.get(day)).toBe(0);
    for (const times of await asked(stage, 5)) expect(times).toBe(5);
  });
});

describe("values that would live for hours", () => {
  const midnight = Date.parse("2026-11-19T00:00:00Z");
  const day = 'aigateway_key_usage_day_credits{key="daily"}';
  const month = 'aigateway_key_usage_month_credits{key="daily"}';

  test.each<[string, (stage: TestApp) => Promise<void>]>([
    ["the process is suspended", ({ clock }) => clock.jump(midnight + 5 * MINUTE)],
    ["the clock is set forward", async ({ clock }) => clock.set(clock.now() + 10 * MINUTE)],
  ])("end with their window when %s over midnight; others stay", async (_, leap) => {
    const stage = await startTimeStage(midnight - 5 * MINUTE, { keys: "1h" });
    const shown = await stage.seriesWhen((seen) => seen.get(day) === SPENT, SOON);
    expect(shown.get(day)).toBe(SPENT);
    stage.gateway.faults.add({ kind: "status", status: 403 });
    await leap(stage);
    await stage.clock.answered();
    const series = await stage.series();
    expect(series.has(day)).toBe(false);
    expect(series.get(month)).toBe(SPENT);
  });
});

/** How often each key is polled within the next minutes. */
async function asked({ gateway, clock }: TestApp, minutes: number): Promise<readonly number[]> {
  gateway.log.clear();
  await clock.runTo(clock.now() + minutes * MINUTE);
  return RESETS.map((key) => gateway.log.of("key", key).length);
}
