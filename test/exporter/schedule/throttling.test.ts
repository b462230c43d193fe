import { describe, expect, test } from "vitest";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createThrottling } from "../../../exporter/schedule/throttling.ts";
import { createManualClock } from "../../support/clock.ts";

const MINUTE = 60_000;
const A: TargetId = "key/a";

function setUp(keyPerMinute = 160) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const perMinute = { key: keyPerMinute, analytics: 10, account: 0, transcription: 0 };
  const throttling = createThrottling(clock, () => ({ maxPauseMs: 5 * MINUTE, perMinute }));
  const refuse = (id: TargetId, retryAfterMs?: number) =>
    throttling.answered("key", id, { answered: true, throttled: true, retryAfterMs });
  /** Twenty answers within a minute, some of which are refusals. */
  const minute = async (refused: number) => {
    await clock.advance(MINUTE);
    for (let index = 0; index < 20; index++)
      throttling.answered("key", targetId("key", `${index}`), { answered: true, throttled: index < refused });
    return throttling.perMinute("key");
  };
  return { clock, throttling, refuse, minute, until: () => throttling.throttledUntil().get("key") };
}

describe("createThrottling(), rests", () => {
  test("a refused target rests as long as the gateway asks, and others do not", async () => {
    const { clock, throttling, refuse, until } = setUp();
    refuse(A, 30_000);
    expect([throttling.restMs(A), throttling.restMs("key/b")]).toEqual([30_000, 0]);
    expect(until()).toBe(clock.now() + 30_000);
    // A step of the wall clock neither shortens nor prolongs a rest.
    clock.set(clock.now() - 60 * MINUTE);
    expect([throttling.restMs(A), until()]).toEqual([30_000, clock.now() + 30_000]);
    await clock.advance(30_000);
    expect([throttling.restMs(A), until()]).toEqual([0, undefined]);
  });

  test("no target rests longer than max_pause, nor without a hint, nor after it was removed", () => {
    const { throttling, refuse } = setUp();
    refuse(A, 60 * MINUTE);
    expect(throttling.restMs(A)).toBe(5 * MINUTE);
    throttling.remove(A);
    refuse("key/b");
    expect([throttling.restMs(A), throttling.restMs("key/b")]).toEqual([0, 0]);
  });
});

describe("createThrottling(), the pace", () => {
  test("falls by half while more than a fifth of the answers are refusals, and rises by a sixteenth a minute", async () => {
    const { clock, minute, throttling, until } = setUp();
    expect([await minute(4), until(), await minute(5), await minute(20)]).toEqual([160, undefined, 80, 40]);
    expect(until()).toBe(clock.now() + 12 * MINUTE);
    expect([await minute(0), await minute(4)]).toEqual([50, 60]);
    for (let count = 0; count < 9; count++) await minute(0);
    expect(await minute(0)).toBe(160);
    expect(throttling.perMinute("analytics")).toBe(10);
  });

  test("of an endpoint without a limit is limited while it refuses", async () => {
    const { minute } = setUp(0);
    expect([await minute(0), await minute(20)]).toEqual([0, 300]);
    for (let count = 0; count < 8; count++) await minute(0);
    expect(await minute(0)).toBe(0);
  });
});
