import { describe, expect, test } from "vitest";
import type { FailureReason } from "../../../exporter/gateway/errors.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { inOrder } from "../../../exporter/schedule/scheduler.ts";
import { windowAt } from "../../../exporter/time/window.ts";
import { askingGroup, askingJob, createTestEngine, testGroup } from "./test-engine.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The order in which jobs with these names run. */
function ordered(...names: string[]): readonly string[] {
  return inOrder(names.map((name) => targetId("key", name))).map((id) => id.slice("key/".length));
}

describe("createEngine(), start", () => {
  test("polls every target through the queue, at the configured rate and in the stable order", async () => {
    const { clock, begin, taken } = createTestEngine({
      groups: [askingGroup(["a", "b", "c"])],
      perMinute: 600,
    });
    begin();
    await clock.advance(1000);
    const [first, second, third] = ordered("a", "b", "c");
    expect(taken()).toEqual([
      [first, 0],
      [second, 0.1],
      [third, 0.2],
    ]);
  });

  test("isAttempted() waits for every unpaid job, and a failure counts as an attempt", async () => {
    const paid = askingGroup(["paid"], { name: "probe", isPaid: true });
    const { clock, begin, engine, answers } = createTestEngine({
      groups: [askingGroup(["a", "b"]), paid],
    });
    answers.set("a", { failure: "unauthorized" });
    answers.set("b", { ms: 5000, credits: 1 });
    begin();
    await clock.advance(4999);
    expect(engine.isAttempted()).toBe(false);
    await clock.advance(1);
    expect(engine.isAttempted()).toBe(true);
  });
});

describe("createEngine(), schedule", () => {
  test("a target with a minimum interval is skipped until that has passed, with half a tick of tolerance", async () => {
    const jobs = [askingJob("hourly", { minIntervalMs: HOUR })];
    const expression = { kind: "interval", ms: 5 * MINUTE } as const;
    const { clock, begin, times } = createTestEngine({ groups: [testGroup({ jobs, expression })] });
    begin();
    await clock.advance(2 * HOUR);
    expect(times().map((at) => at / 60)).toEqual([0, 57.5, 117.5]);
  });

  test("a target with a minimum interval whose last run failed is polled at the next tick", async () => {
    const jobs = [askingJob("hourly", { minIntervalMs: HOUR })];
    const expression = { kind: "interval", ms: 5 * MINUTE } as const;
    const { clock, begin, times, answers } = createTestEngine({ groups: [testGroup({ jobs, expression })] });
    begin();
    await clock.advance(30 * MINUTE);
    answers.set("hourly", { failure: "upstream_error" });
    await clock.advance(30 * MINUTE);
    answers.delete("hourly");
    await clock.advance(HOUR);
    expect(times().map((at) => at / 60)).toEqual([0, 57.5, 62.5]);
  });

  test("after midnight every target is polled, whatever its minimum interval", async () => {
    const jobs = [askingJob("a", { minIntervalMs: 12 * HOUR })];
    const { clock, begin, times } = createTestEngine({
      start: "2026-11-18T23:59:00Z",
      groups: [testGroup({ jobs, expression: { kind: "interval", ms: HOUR } })],
    });
    begin();
    await clock.advance(10 * MINUTE);
    expect(times()).toEqual([0, 150]);
  });

  test("a run that began before the new day has settled is repeated once", async () => {
    const { clock, begin, times, answers } = createTestEngine({
      start: "2026-11-18T23:59:00Z",
      groups: [askingGroup(["a"], { expression: { kind: "interval", ms: HOUR } })],
    });
    answers.set("a", { ms: 200_000, credits: 1 });
    begin();
    await clock.advance(10 * MINUTE);
    expect(times()).toEqual([0, 200]);
  });

  test("an overloaded endpoint is shared: no target waits longer than two effective intervals", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `${index}`);
    const jobs = [...names.map((name) => askingJob(name)), askingJob("slow", { minIntervalMs: 40_000 })];
    const { clock, begin, taken } = createTestEngine({
      groups: [testGroup({ jobs, expression: { kind: "interval", ms: 1000 } })],
      perMinute: 60,
    });
    begin();
    await clock.advance(20 * MINUTE);
    const requests = taken();
    for (const [name, effective] of [...names.map((each) => [each, 21] as const), ["slow", 40] as const]) {
      const times = requests.flatMap(([asked, at]) => (asked === name ? [at] : []));
      const gaps = [...times, 1200].map((at, index) => at - (times[index - 1] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * effective + 21);
    }
  });

  test("lagMs() shows how long the most overdue target is overdue, and the wait for the first attempt", async () => {
    const { clock, begin, engine, answers } = createTestEngine({ groups: [askingGroup(["a", "b"])] });
    await clock.advance(MINUTE);
    expect(engine.lagMs("key")).toBe(0);
    await clock.advance(1000);
    expect(engine.lagMs("key")).toBe(1000);
    answers.set("a", "never");
    begin();
    await clock.advance(2 * MINUTE);
    expect(engine.lagMs("key")).toBe(MINUTE);
    expect(engine.lagMs("nothing")).toBe(0);
  });
});

describe("createEngine(), early retries", () => {
  test("a target with nothing to show is polled again after 5 s, then 10 s and so on, up to its interval", async () => {
    const { clock, begin, times, answers } = createTestEngine({
      groups: [askingGroup(["a"], { expression: { kind: "interval", ms: 2 * MINUTE } })],
    });
    answers.set("a", { failure: "network" });
    begin();
    await clock.advance(119_000);
    expect(times()).toEqual([0, 5, 15, 35, 75]);
    await clock.advance(6 * MINUTE);
    const gaps = times().map((at, index, all) => at - (all[index - 1] ?? 75));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(120);
  });

  test.each<[FailureReason, number | undefined]>([
    ["unauthorized", undefined],
    ["forbidden", undefined],
    ["payment_required", undefined],
    ["bad_request", undefined],
    ["rate_limited", 30],
    ["timeout", 5],
    ["upstream_error", 5],
    ["bad_response", 5],
    ["secret_unreadable", 5],
  ])("after %s the first early retry comes after %s s", async (failure, expected) => {
    const { clock, begin, times, answers } = createTestEngine({
      groups: [askingGroup(["a"], { expression: { kind: "interval", ms: HOUR } })],
    });
    answers.set("a", { failure });
    begin();
    await clock.advance(50_000);
    expect(times()[1]).toBe(expected);
  });

  test("a target whose values are all shown waits for its next tick", async () => {
    const { clock, begin, times, answers, shown } = createTestEngine({ groups: [askingGroup(["a"])] });
    begin();
    await clock.advance(80_000);
    answers.set("a", { failure: "network" });
    await clock.advance(MINUTE);
    expect([times(), shown("a")]).toEqual([[0, 90], 1]);
  });

  test("a failure after midnight, when the values of the day are gone, is followed by an early retry", async () => {
    const jobs = [askingJob("a", { windowOf: (requestedAtMs) => windowAt("day", requestedAtMs) })];
    const { clock, begin, times, answers } = createTestEngine({
      start: "2026-11-18T23:59:00Z",
      groups: [testGroup({ jobs, expression: { kind: "interval", ms: HOUR } })],
    });
    begin();
    await clock.advance(30_000);
    answers.set("a", { failure: "upstream_error" });
    await clock.advance(125_000);
    expect(times()).toEqual([0, 150, 155]);
  });

  test("a target that must rest is polled as soon as the rest ends", async () => {
    const { clock, begin, times, answers, engine } = createTestEngine({
      groups: [askingGroup(["a"], { expression: { kind: "interval", ms: HOUR } })],
    });
    answers.set("a", { failure: "rate_limited", retryAfterMs: 100_000 });
    begin();
    await clock.advance(1000);
    engine.ask("key/a");
    expect(engine.throttledUntil().get("key")).toBe(clock.now() + 99_000);
    answers.set("a", { credits: 1 });
    await clock.advance(10 * MINUTE);
    expect(times()).toEqual([0, 100]);
  });
});
