import { describe, expect, test } from "vitest";
import type { RequestOutcome } from "../../../exporter/gateway/port.ts";
import type { TargetId } from "../../../exporter/readings/target-id.ts";
import { createRefusals } from "../../../exporter/schedule/refusals.ts";
import { createManualClock } from "../../support/clock.ts";

const MINUTE = 60_000;

/** Refusals of the endpoint `key`, whose targets are polled once a minute. */
function setUp({ maxPauseMs = 5 * MINUTE, targets = 3, targetsOf = () => targets } = {}) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const refusals = createRefusals(clock, { maxPauseMs: () => maxPauseMs, targetsOf });
  const answered = (id: TargetId, outcome: RequestOutcome) => refusals.answered("key", id, outcome, MINUTE);
  const answer = (...ids: TargetId[]) => {
    for (const id of ids) answered(id, { answered: true, throttled: false });
  };
  const refuse = (id: TargetId, retryAfterMs?: number) =>
    answered(id, { answered: true, throttled: true, retryAfterMs });
  const mayBegin = (id: TargetId) => refusals.mayBeginAt("key", id) <= clock.monotonic();
  const begin = (id: TargetId) => refusals.begun("key", id);
  const end = (id: TargetId) => refusals.ended("key", id);
  /** Two targets that were answered are refused: the endpoint is suspected. */
  const suspect = (retryAfterMs?: number) => {
    answer("key/a", "key/b");
    refuse("key/a", retryAfterMs);
    refuse("key/b", retryAfterMs);
  };
  const until = () => refusals.throttledUntil().get("key");
  const mayContinue = (id: TargetId) => refusals.mayContinue("key", id);
  return { clock, refusals, answered, answer, refuse, mayBegin, mayContinue, begin, end, suspect, until };
}

describe("createRefusals(), one target", () => {
  test("a refused target rests as long as the gateway requests, and others do not rest", async () => {
    const { clock, refusals, refuse, mayBegin, mayContinue, until } = setUp();
    refuse("key/a", 30_000);
    expect([refusals.restMs("key/a"), mayContinue("key/a")]).toEqual([30_000, false]);
    expect([refusals.restMs("key/b"), mayContinue("key/b"), mayBegin("key/b")]).toEqual([0, true, true]);
    expect(until()).toBe(clock.now() + 30_000);
    await clock.advance(30_000);
    expect([refusals.restMs("key/a"), mayContinue("key/a"), until()]).toEqual([0, true, undefined]);
  });

  test("no target rests longer than max_pause", () => {
    const { refusals, refuse } = setUp({ maxPauseMs: MINUTE });
    refuse("key/a", 60 * MINUTE);
    expect(refusals.restMs("key/a")).toBe(MINUTE);
  });

  test("a refusal without a retry-after does not rest its target", () => {
    const { refusals, refuse, until } = setUp();
    refuse("key/a");
    expect([refusals.restMs("key/a"), until()]).toEqual([0, undefined]);
  });

  test("a retry-after without a 429 makes only its target rest, however many targets get one", () => {
    const { refusals, answer, answered, mayBegin } = setUp();
    const ids = ["key/a", "key/b", "key/c"] as const;
    answer(...ids);
    for (const id of ids) answered(id, { answered: true, throttled: false, retryAfterMs: 20_000 });
    expect(ids.map((id) => refusals.restMs(id))).toEqual([20_000, 20_000, 20_000]);
    expect(mayBegin("key/d")).toBe(true);
  });

  test("a step of the wall clock neither shortens nor prolongs a rest", async () => {
    const { clock, refusals, refuse, until } = setUp();
    refuse("key/a", 30_000);
    clock.set(clock.now() - 60 * MINUTE);
    expect([refusals.restMs("key/a"), until()]).toEqual([30_000, clock.now() + 30_000]);
    await clock.advance(30_000);
    expect(refusals.restMs("key/a")).toBe(0);
  });

  test("remove() ends the rest of a target", () => {
    const { refusals, refuse } = setUp();
    refuse("key/a", 30_000);
    refusals.remove("key/a");
    expect([refusals.restMs("key/a"), refusals.throttledUntil().size]).toEqual([0, 0]);
  });

  test("throttledUntil() shows the longest wait of each endpoint", () => {
    const { clock, refusals, refuse } = setUp();
    refuse("key/a", 10_000);
    refuse("key/b", 30_000);
    refusals.answered("analytics", "analytics/day", { throttled: true, retryAfterMs: 5000 }, MINUTE);
    expect([...refusals.throttledUntil()]).toEqual([
      ["key", clock.now() + 30_000],
      ["analytics", clock.now() + 5000],
    ]);
  });
});

describe("createRefusals(), when the endpoint is suspected", () => {
  test("two refused targets that are usually answered make the endpoint suspect: one target at a time tries", () => {
    const { suspect, mayBegin, mayContinue, begin, refusals } = setUp();
    suspect();
    expect([mayBegin("key/c"), mayContinue("key/c")]).toEqual([true, false]);
    begin("key/c");
    expect([mayBegin("key/d"), mayContinue("key/c"), mayContinue("key/d")]).toEqual([false, true, false]);
    expect(refusals.mayBeginAt("key", "key/d")).toBe(Infinity);
  });

  test("two refused targets make the endpoint suspect if none was answered", () => {
    const { refuse, mayContinue } = setUp();
    refuse("key/a");
    expect(mayContinue("key/c")).toBe(true);
    refuse("key/b");
    expect(mayContinue("key/c")).toBe(false);
  });

  test("targets that are always refused do not make an endpoint suspect that answers others", async () => {
    const { clock, answer, refuse, mayBegin, mayContinue } = setUp();
    for (let minute = 0; minute < 10; minute++) {
      answer("key/c");
      refuse("key/a", 10_000);
      refuse("key/b", 10_000);
      expect([mayBegin("key/c"), mayContinue("key/c"), mayBegin("key/d")]).toEqual([true, true, true]);
      await clock.advance(MINUTE);
    }
  });

  test("a late answer ends the suspicion if the refused targets are always refused", () => {
    const { refuse, answer, mayContinue } = setUp();
    refuse("key/a");
    refuse("key/b");
    expect(mayContinue("key/d")).toBe(false);
    answer("key/c");
    expect(mayContinue("key/d")).toBe(true);
  });

  test("a late answer to an earlier request does not end the suspicion of an endpoint that used to answer", () => {
    const { suspect, answer, mayContinue } = setUp();
    suspect();
    answer("key/c");
    expect(mayContinue("key/d")).toBe(false);
  });

  test("an answer still counts as recent if the refusal an interval later takes a little longer", async () => {
    const { clock, answer, refuse, mayContinue } = setUp();
    answer("key/a", "key/b", "key/c");
    await clock.advance(MINUTE - 5000);
    answer("key/d");
    await clock.advance(5001);
    refuse("key/a");
    refuse("key/b");
    expect(mayContinue("key/d")).toBe(false);
  });

  test("the same target twice, or two refusals further apart than an interval, do not make it suspect", async () => {
    const { clock, answer, refuse, mayContinue } = setUp();
    answer("key/a", "key/b");
    refuse("key/a", 1000);
    await clock.advance(2000);
    refuse("key/a", 1000);
    expect(mayContinue("key/c")).toBe(true);
    await clock.advance(MINUTE + 1);
    refuse("key/b", 1000);
    expect(mayContinue("key/c")).toBe(true);
  });

  test("a recently refused target does not try before its pause ends", async () => {
    const { clock, suspect, mayBegin, refusals } = setUp();
    suspect(10_000);
    expect([mayBegin("key/a"), mayBegin("key/c")]).toEqual([false, true]);
    expect(refusals.mayBeginAt("key", "key/a")).toBe(clock.monotonic() + 10_000);
    await clock.advance(10_000);
    expect(mayBegin("key/a")).toBe(true);
  });

  test("a trial that is answered ends the suspicion", async () => {
    const { clock, suspect, answer, mayBegin, mayContinue, begin, refusals } = setUp();
    suspect();
    await clock.advance(1000);
    expect(refusals.openSince("key")).toBe(clock.monotonic());
    begin("key/c");
    answer("key/c");
    expect([mayBegin("key/d"), mayContinue("key/d"), mayBegin("key/a")]).toEqual([true, true, true]);
    await clock.advance(1000);
    expect(refusals.openSince("key")).toBe(1000);
  });

  test("a refused trial pauses the endpoint as long as the gateway requests", async () => {
    const { clock, suspect, refuse, mayBegin, mayContinue, begin, until } = setUp();
    suspect();
    begin("key/c");
    refuse("key/c", 40_000);
    expect([mayBegin("key/d"), mayContinue("key/d"), mayContinue("key/c")]).toEqual([false, false, false]);
    expect(until()).toBe(clock.now() + 40_000);
    await clock.advance(39_999);
    expect(mayBegin("key/d")).toBe(false);
    await clock.advance(1);
    expect(mayBegin("key/d")).toBe(true);
    begin("key/d");
    expect(mayBegin("key/e")).toBe(false);
  });

  test.each([
    [undefined, 30_000],
    [60 * MINUTE, 5 * MINUTE],
  ])(
    "a trial that is refused with a retry-after of %s pauses the endpoint for %i ms",
    (retryAfterMs, expected) => {
      const { clock, suspect, refuse, begin, refusals } = setUp();
      suspect();
      begin("key/c");
      refuse("key/c", retryAfterMs);
      expect(refusals.mayBeginAt("key", "key/d")).toBe(clock.monotonic() + expected);
    },
  );

  test("a gateway that refuses single requests pauses nothing, and one that refuses eight targets in a row is paused", () => {
    const { answer, refuse, begin, mayBegin, mayContinue } = setUp({ targets: 100 });
    answer("key/a", "key/b", "key/c", "key/d", "key/e", "key/f");
    refuse("key/a");
    answer("key/b");
    refuse("key/c");
    expect(mayContinue("key/f")).toBe(true);
    refuse("key/d");
    expect(mayContinue("key/f")).toBe(false);
    for (const id of ["key/e", "key/f", "key/g", "key/h", "key/i", "key/j"] as const) {
      expect(mayBegin(id)).toBe(true);
      begin(id);
      refuse(id);
    }
    expect(mayBegin("key/b")).toBe(false);
  });

  test("an endpoint with fewer targets is paused when all are refused, and not before one has tried", () => {
    const { refuse, begin, mayBegin } = setUp({ targets: 4 });
    for (const id of ["key/a", "key/b"] as const) refuse(id);
    begin("key/c");
    refuse("key/c");
    expect(mayBegin("key/d")).toBe(true);
    begin("key/d");
    refuse("key/d");
    expect(mayBegin("key/d")).toBe(false);
  });

  test("a pause ends when a reload adds a target, or removes one that was refused", () => {
    const plan = { targets: 2 };
    const { refuse, begin, mayBegin, refusals } = setUp({ targetsOf: () => plan.targets });
    refuse("key/a", 60_000);
    refuse("key/b", 60_000);
    begin("key/b");
    refuse("key/b", 60_000);
    expect(mayBegin("key/c")).toBe(false);
    plan.targets = 3;
    expect(mayBegin("key/c")).toBe(true);
    plan.targets = 2;
    expect(mayBegin("key/c")).toBe(false);
    refusals.remove("key/a");
    expect(mayBegin("key/c")).toBe(true);
  });

  test("answers to earlier requests do not shorten a pause", () => {
    const { clock, suspect, refuse, answer, begin, refusals } = setUp();
    suspect();
    begin("key/c");
    refuse("key/c", 60_000);
    refuse("key/d", 1000);
    answer("key/e");
    expect(refusals.mayBeginAt("key", "key/e")).toBe(clock.monotonic() + 60_000);
  });

  test("after a trial without an answer, another target tries", () => {
    const { suspect, answered, mayBegin, begin, end } = setUp();
    suspect();
    begin("key/c");
    answered("key/c", { answered: false, throttled: false });
    expect(mayBegin("key/d")).toBe(false);
    end("key/d");
    expect(mayBegin("key/d")).toBe(false);
    end("key/c");
    expect(mayBegin("key/d")).toBe(true);
  });

  test("other endpoints are not affected", () => {
    const { suspect, refusals } = setUp();
    suspect();
    expect(refusals.mayContinue("analytics", "analytics/day")).toBe(true);
  });

  test("an endpoint whose targets are all forgotten begins without suspicion or pause", () => {
    const { suspect, refuse, begin, mayBegin, mayContinue, refusals } = setUp();
    suspect();
    begin("key/c");
    refuse("key/c", 40_000);
    for (const id of ["key/a", "key/b"] as const) refusals.remove(id);
    expect([mayBegin("key/d"), mayContinue("key/d")]).toEqual([true, false]);
    refusals.remove("key/c");
    expect([mayBegin("key/d"), mayContinue("key/d")]).toEqual([true, true]);
  });
});
