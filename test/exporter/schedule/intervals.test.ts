import { describe, expect, test } from "vitest";
import { createIntervals } from "../../../exporter/schedule/intervals.ts";
import type { JobGroup } from "../../../exporter/schedule/plan.ts";
import { createRunQueues } from "../../../exporter/schedule/run-queue.ts";
import { createFakeGateway } from "./fake-gateway.ts";
import { createManualClock } from "../../support/clock.ts";
import { testGroup, testJob } from "./test-jobs.ts";

const MINUTE = 60_000;

interface Options {
  readonly groups?: readonly JobGroup[];
  readonly perMinute?: number;
}

/** Intervals of groups whose schedules have a longest gap of one minute. */
function setUp({ groups = [testGroup({ jobs: [testJob("a")] })], perMinute = 0 }: Options = {}) {
  const clock = createManualClock();
  const queues = createRunQueues();
  const opened = { since: Number.NEGATIVE_INFINITY };
  const polled: { at: number | undefined } = { at: undefined };
  const limits = {
    perMinute: { key: perMinute, analytics: 0, account: 0, transcription: 0 },
    connections: 8,
    maxPauseMs: MINUTE,
  };
  const plan = { gateway: createFakeGateway(clock, () => "never"), limits, groups };
  const intervals = createIntervals({
    clock,
    queues,
    table: { plan },
    scheduler: { longestGapMs: () => MINUTE },
    refusals: { openSince: () => opened.since },
  });
  /** A job begins this long after it was due. */
  const began = (lateMs: number) =>
    intervals.began(
      { job: testJob("a"), group: testGroup(), beganAt: polled.at },
      clock.monotonic() - lateMs,
    );
  /** The last poll of the job began this long ago. */
  const polledAgo = (ms: number) => {
    polled.at = clock.monotonic() - ms;
  };
  return { clock, queues, intervals, opened, began, polledAgo };
}

describe("createIntervals()", () => {
  test("the interval is the schedule's gap, 0 for an unknown group", () => {
    const { intervals } = setUp();
    expect([intervals.of("key"), intervals.of("nothing")]).toEqual([MINUTE, 0]);
  });

  test("the interval is what the rate limit takes for all requests of the group, if that is longer", () => {
    const jobs = Array.from({ length: 10 }, (_, index) => testJob(`${index}`, { requests: 2 }));
    expect(setUp({ groups: [testGroup({ jobs })], perMinute: 10 }).intervals.of("key")).toBe(2 * MINUTE);
    expect(setUp({ groups: [testGroup({ jobs })], perMinute: 100 }).intervals.of("key")).toBe(MINUTE);
    expect(setUp({ groups: [testGroup({ jobs: [] })], perMinute: 1 }).intervals.of("key")).toBe(MINUTE);
  });

  test("the interval is the time since the last poll, which skips a tick when the queue is long", () => {
    const { intervals, began, polledAgo } = setUp();
    polledAgo(75_500);
    began(40_000);
    expect(intervals.of("key")).toBe(76_000);
  });

  test("a rest that the gateway or the job asked for is no gap", () => {
    const { intervals, began, polledAgo, opened, clock } = setUp();
    polledAgo(3_600_000);
    began(0);
    expect(intervals.of("key")).toBe(MINUTE);
    opened.since = clock.monotonic() - 1000;
    began(300_000);
    expect(intervals.of("key")).toBe(61_000);
  });

  test("the interval follows the longest wait, in whole seconds", () => {
    const { intervals, began } = setUp();
    began(30_000);
    expect(intervals.of("key")).toBe(MINUTE);
    began(90_001);
    began(500);
    expect(intervals.of("key")).toBe(91_000);
  });

  test("the time to live grows with the interval, and shrinks with it two intervals later", async () => {
    const { clock, queues, intervals, began } = setUp();
    const life = intervals.lifeOf("key");
    intervals.of("key");
    expect(life.timeToLiveMs).toBe(3 * MINUTE);
    began(90_000);
    expect(life.timeToLiveMs).toBe(270_000);
    queues.key.add("key/a", 0, "key");
    await clock.advance(100_000);
    expect(intervals.of("key")).toBe(100_000);
    expect(life.timeToLiveMs).toBe(270_000);
    await clock.advance(100_000);
    intervals.of("key");
    expect(life.timeToLiveMs).toBe(3 * MINUTE);
  });

  test("the interval includes the jobs that are still waiting", async () => {
    const { clock, queues, intervals } = setUp();
    queues.key.add("key/a", 0, "key");
    await clock.advance(100_500);
    expect(intervals.of("key")).toBe(101_000);
    queues.key.remove("key/a");
    expect(intervals.of("key")).toBe(MINUTE);
  });

  test("a late run is forgotten after two intervals", async () => {
    const { clock, intervals, began } = setUp();
    await clock.advance(1000);
    began(90_000);
    const seen: number[] = [];
    for (let minute = 0; minute < 5; minute++) {
      seen.push(intervals.of("key") / 1000);
      await clock.advance(MINUTE);
    }
    expect(seen).toEqual([90, 90, 90, 90, 60]);
  });

  test("a late run is forgotten even if the interval was not read in the meantime", async () => {
    const { clock, intervals, began } = setUp();
    began(90_000);
    await clock.advance(10 * MINUTE);
    expect(intervals.of("key")).toBe(MINUTE);
    began(90_000);
    expect(intervals.of("key")).toBe(90_000);
  });

  test("a wait is not forgotten while runs keep being late", async () => {
    const { clock, intervals, began } = setUp();
    for (let minute = 0; minute < 10; minute++) {
      began(90_000);
      await clock.advance(MINUTE);
      expect(intervals.of("key")).toBe(90_000);
    }
  });

  test("a requested pause does not count", async () => {
    const { clock, queues, intervals, opened, began } = setUp();
    queues.key.add("key/a", 0, "key");
    await clock.advance(10 * MINUTE);
    opened.since = clock.monotonic() - 5000;
    began(9 * MINUTE);
    expect(intervals.of("key")).toBe(MINUTE);
    opened.since = clock.monotonic() - 70_000;
    expect(intervals.of("key")).toBe(70_000);
  });

  test("at() is the longest interval of the groups that use the endpoint", () => {
    const groups = [
      testGroup({ jobs: [testJob("a")] }),
      testGroup({ name: "slow", jobs: [testJob("b", { requests: 3 })] }),
      testGroup({ name: "other", jobs: [testJob("c", { endpoint: "analytics", requests: 100 })] }),
    ];
    const { intervals } = setUp({ groups, perMinute: 1 });
    expect(intervals.at("key")).toBe(3 * MINUTE);
    expect(intervals.at("analytics")).toBe(MINUTE);
    expect(intervals.at("transcription")).toBe(0);
  });
});
