import { describe, expect, test } from "vitest";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createScheduler, inOrder } from "../../../exporter/schedule/scheduler.ts";
import { createTicker } from "../../../exporter/time/ticker.ts";
import { createManualClock } from "../../support/clock.ts";
import { silentLog } from "../../support/log.ts";
import { testGroup, testJob } from "./test-jobs.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function group(names: readonly string[], ms = MINUTE, isPaid = false) {
  return testGroup({
    name: "key",
    expression: { kind: "interval", ms },
    jobs: names.map((name) => testJob(name)),
    isPaid,
  });
}

/** A running scheduler; records what becomes due, with the seconds since the start. */
function setUp({ start = "2026-11-18T12:00:00Z", groups = [group(["a", "b", "c", "d"])] } = {}) {
  const clock = createManualClock(start);
  const scheduler = createScheduler({ clock, log: silentLog, createTicker });
  const due: { id: TargetId; at: number; cause: string; dueAt: number }[] = [];
  scheduler.apply(groups);
  scheduler.start((entries) => {
    for (const { id, dueAt, cause } of entries)
      due.push({ id, at: clock.monotonic() / 1000, cause, dueAt: dueAt / 1000 });
  });
  /** The targets that became due since the previous call. */
  const taken = () => due.splice(0);
  return { clock, scheduler, taken, times: () => taken().map(({ at }) => at) };
}

const ORDER = inOrder(["a", "b", "c", "d"].map((name) => targetId("key", name)));

describe("inOrder()", () => {
  test("the order does not depend on the order in the configuration, nor on other targets", () => {
    const ids = Array.from({ length: 50 }, (_, index) => targetId("key", `${index}`));
    const ordered = inOrder(ids);
    expect(inOrder(ids.toReversed())).toEqual(ordered);
    expect(inOrder(ids.slice(10))).toEqual(ordered.filter((id) => ids.indexOf(id) >= 10));
    expect(ordered).not.toEqual(ids);
  });
});

describe("createScheduler()", () => {
  test("spreads the targets of a group evenly over the interval, at the same offset in each interval", async () => {
    const { clock, taken } = setUp();
    await clock.advance(3 * MINUTE - 1);
    const due = taken();
    expect(due.map(({ at }) => at)).toEqual([67.5, 82.5, 97.5, 112.5, 127.5, 142.5, 157.5, 172.5]);
    expect(due.map(({ id }) => id)).toEqual([...ORDER, ...ORDER]);
    expect(new Set(due.map(({ cause }) => cause))).toEqual(new Set(["tick"]));
  });

  test("spreads the targets of a long interval over five minutes only", async () => {
    const groups = [group(["a", "b", "c", "d"], 12 * HOUR)];
    const { clock, times } = setUp({ start: "2026-11-18T00:10:00Z", groups });
    await clock.advance(12 * HOUR + 5 * MINUTE);
    expect(times().map((at) => at - 12 * 3600)).toEqual([37.5, 112.5, 187.5, 262.5]);
  });

  test("longestGapMs() is that of the group's schedule, 0 for an unknown group", () => {
    const { scheduler } = setUp();
    expect([scheduler.longestGapMs("key"), scheduler.longestGapMs("nothing")]).toEqual([MINUTE, 0]);
  });

  test("at() makes a target due once more", async () => {
    const { clock, scheduler, taken } = setUp();
    scheduler.at("key/a", 5000);
    await clock.advance(10_000);
    expect(taken()).toEqual([{ id: "key/a", at: 5, dueAt: 5, cause: "again" }]);
  });

  test("a target whose time passed while the process was suspended counts as due since a moment ago", async () => {
    const { clock, scheduler, taken } = setUp({ groups: [group(["a"], 12 * HOUR)] });
    scheduler.at("key/a", 5000);
    await clock.jump(clock.now() + HOUR);
    expect(taken()).toEqual([{ id: "key/a", at: 3600, dueAt: 3599, cause: "again" }]);
  });

  test("a timer that fires some milliseconds late does not change when a target was due", async () => {
    const { clock, scheduler, taken } = setUp();
    scheduler.at("key/a", 5000);
    await clock.jump(clock.now() + 5013);
    expect(taken()[0]?.dueAt).toBe(5);
  });

  test("no target becomes due after the stop, and no timer is left", async () => {
    const { clock, scheduler, taken } = setUp();
    await clock.advance(70_000);
    taken();
    scheduler.stop();
    scheduler.at("key/a", clock.monotonic() + 1000);
    expect(clock.pending()).toEqual([]);
    await clock.advance(24 * HOUR);
    expect(taken()).toEqual([]);
  });
});

describe("createScheduler(), midnight", () => {
  test("every target is due 90 s after midnight UTC, when the new day has settled", async () => {
    const { clock, taken } = setUp({
      start: "2026-11-18T23:00:00Z",
      groups: [group(["a", "b", "c", "d"], 6 * HOUR)],
    });
    await clock.advanceTo(Date.parse("2026-11-19T00:01:29.999Z"));
    expect(taken()).toEqual([]);
    await clock.advance(1);
    const due = taken();
    expect(due.map(({ id }) => id)).toEqual(ORDER);
    expect(new Set(due.map(({ cause }) => cause))).toEqual(new Set(["midnight"]));
    await clock.advance(HOUR);
    expect(taken()).toEqual([]);
    await clock.advanceTo(Date.parse("2026-11-20T00:01:30Z"));
    expect(taken().filter(({ cause }) => cause === "midnight")).toHaveLength(4);
  });

  test("a start within the first 90 s of a day also makes them due at that time", async () => {
    const { clock, times } = setUp({ start: "2026-11-19T00:00:10Z", groups: [group(["a"], HOUR)] });
    await clock.advance(80_000);
    expect(times()).toEqual([80]);
  });

  test("paid jobs are not due at midnight", async () => {
    const groups = [group(["a"], 6 * HOUR, true)];
    const { clock, taken } = setUp({ start: "2026-11-18T23:59:00Z", groups });
    await clock.advance(HOUR);
    expect(taken()).toEqual([]);
  });

  test("a process that was suspended over midnight makes them due as soon as it continues", async () => {
    const groups = [group(["a", "b"], 24 * HOUR)];
    const { clock, taken } = setUp({ start: "2026-11-18T23:00:00Z", groups });
    await clock.jump(Date.parse("2026-11-19T05:00:00Z"));
    expect(taken().map(({ cause }) => cause)).toEqual(["midnight", "midnight"]);
  });

  test("a wall clock that is set over midnight is noticed within half a minute", async () => {
    const groups = [group(["a"], 24 * HOUR)];
    const { clock, taken } = setUp({ start: "2026-11-18T23:00:00Z", groups });
    clock.set(Date.parse("2026-11-19T05:00:00Z"));
    await clock.advance(30_000);
    expect(taken().map(({ cause }) => cause)).toEqual(["midnight"]);
  });

  test("a wall clock that is set back over midnight does not skip the next one", async () => {
    const groups = [group(["a"], 24 * HOUR)];
    const { clock, taken } = setUp({ start: "2026-11-19T00:05:00Z", groups });
    clock.set(Date.parse("2026-11-18T23:50:00Z"));
    await clock.advanceTo(Date.parse("2026-11-19T00:01:30Z"));
    expect(taken().map(({ cause }) => cause)).toEqual(["midnight"]);
  });
});

describe("createScheduler(), apply()", () => {
  test("a group that keeps its schedule keeps its ticks; new targets join in the next round", async () => {
    const { clock, scheduler, taken } = setUp();
    await clock.advance(70_000);
    taken();
    scheduler.apply([group(["a", "b", "c", "e"])]);
    await clock.advance(50_000 - 1);
    const stayed = ORDER.filter((id) => id !== "key/d");
    expect(taken().map(({ id }) => id)).toEqual(stayed.filter((id) => id !== ORDER[0]));
    await clock.advance(MINUTE);
    const due = taken();
    expect(due.map(({ at }) => at)).toEqual([127.5, 142.5, 157.5, 172.5]);
    expect(due.map(({ id }) => id)).toEqual(inOrder([...stayed, "key/e"]));
  });

  test("the same groups a thousand times in a minute change nothing", async () => {
    const { clock, scheduler, times } = setUp();
    await clock.advance(MINUTE);
    for (let time = 0; time < 1000; time++) {
      scheduler.apply([group(["a", "b", "c", "d"])]);
      await clock.advance(59);
    }
    expect(times()).toEqual([67.5, 82.5, 97.5, 112.5]);
  });

  test("another schedule drops what the former one planned", async () => {
    const { clock, scheduler, times } = setUp();
    await clock.advance(70_000);
    times();
    scheduler.apply([group(["a", "b"], 10 * MINUTE)]);
    expect(scheduler.longestGapMs("key")).toBe(10 * MINUTE);
    await clock.advance(15 * MINUTE);
    expect(times()).toEqual([70 + 600 + 75, 70 + 600 + 225]);
    scheduler.stop();
    expect(clock.pending()).toEqual([]);
  });

  test("a removed target is not due again for any reason", async () => {
    const { clock, scheduler, taken } = setUp({ start: "2026-11-18T23:59:00Z" });
    await clock.advance(MINUTE);
    taken();
    scheduler.at("key/a", clock.monotonic() + 1000);
    scheduler.apply([group(["b"])]);
    await clock.advance(5 * MINUTE);
    expect(new Set(taken().map(({ id }) => id))).toEqual(new Set(["key/b"]));
  });

  test("a removed group ticks no more", async () => {
    const { clock, scheduler, taken } = setUp();
    scheduler.apply([]);
    await clock.advance(5 * MINUTE);
    expect(taken()).toEqual([]);
  });

  test("before the start and after the stop begins nothing", async () => {
    const clock = createManualClock();
    const scheduler = createScheduler({ clock, log: silentLog, createTicker });
    scheduler.apply([group(["a"])]);
    scheduler.apply([group(["a"], 2 * MINUTE)]);
    expect(clock.pending()).toEqual([]);
    const due: TargetId[] = [];
    scheduler.start((entries) => due.push(...entries.map(({ id }) => id)));
    await clock.advance(3 * MINUTE);
    expect(due).toEqual(["key/a"]);
    scheduler.stop();
    scheduler.apply([group(["a"], MINUTE)]);
    expect(clock.pending()).toEqual([]);
  });
});
