import * as fc from "fast-check";
import { expect, test } from "vitest";
import { retryAfter } from "../../exporter/gateway/retry-after.ts";
import { retryDelay } from "../../exporter/gateway/calls.ts";
import { targetId } from "../../exporter/readings/target-id.ts";
import { createRefusals } from "../../exporter/schedule/refusals.ts";
import { createManualClock } from "../support/clock.ts";
import { runs, TIMEOUT_MS } from "./runs.ts";

const digits = fc.oneof(fc.integer(), fc.double(), fc.bigInt()).map(String);
const date = fc.date({ noInvalidDate: true }).chain((at) => fc.constantFrom(at.toUTCString(), at.toJSON()));
const header = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  digits,
  date,
  digits.map((text) => ` ${text} `),
);
const headers = fc.dictionary(
  fc.constantFrom("retry-after", "Retry-After", "x-ratelimit-reset", "X-RateLimit-Reset", "__proto__", "x"),
  fc.oneof(header, fc.array(header, { maxLength: 2 }), fc.constant(undefined)),
);
const inBody = fc.oneof(
  fc.jsonValue(),
  fc
    .dictionary(fc.constantFrom("Retry-After", "X-RateLimit-Reset"), fc.oneof(header, fc.jsonValue()))
    .map((sent) => ({ error: { code: 429, metadata: { headers: sent } } })),
);

const source = fc.record({
  status: fc.oneof(fc.constantFrom(429, 503), fc.integer({ min: 100, max: 599 })),
  headers,
  body: inBody,
  nowMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
});

test(
  "any headers give a finite wait or none, and no target rests longer than max_pause",
  async () => {
    let waits = 0;
    const property = fc.asyncProperty(
      source,
      fc.integer({ min: 1000, max: 86_400_000 }),
      async (response, maxPauseMs) => {
        const retryAfterMs = retryAfter(response);
        if (retryAfterMs === undefined) return;
        waits += 1;
        expect(retryAfterMs).toBeGreaterThan(0);
        expect(retryAfterMs).toBeLessThan(Number.POSITIVE_INFINITY);
        const clock = createManualClock(response.nowMs);
        const refusals = createRefusals(clock, { maxPauseMs: () => maxPauseMs, targetsOf: () => 3 });
        for (const id of [targetId("key", "a"), targetId("key", "b")]) {
          refusals.begun("key", id);
          refusals.answered("key", id, { answered: true, throttled: true, retryAfterMs }, 60_000);
          refusals.ended("key", id);
        }
        const untilMs = refusals.throttledUntil().get("key") ?? Number.NaN;
        expect(untilMs - response.nowMs).toBeGreaterThan(0);
        expect(untilMs - response.nowMs).toBeLessThanOrEqual(maxPauseMs);
        await clock.advance(maxPauseMs);
        expect(refusals.mayBeginAt("key", targetId("key", "a"))).toBeLessThanOrEqual(clock.monotonic());
        expect(refusals.restMs(targetId("key", "a"))).toBe(0);
      },
    );
    await fc.assert(property, runs(1000));
    expect(waits).toBeGreaterThan(50);
  },
  TIMEOUT_MS,
);

test(
  "a retry starts within the deadline, or not at all",
  () => {
    const failure = fc.record({
      retryable: fc.boolean(),
      retryAfterMs: fc.oneof(fc.constant(undefined), fc.double({ min: 0, noNaN: true })),
      attempts: fc.integer({ min: 1, max: 10 }),
      remainingMs: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    let delays = 0;
    const property = fc.property(failure, random, (failed, drawn) => {
      const delayMs = retryDelay(failed, () => drawn);
      if (delayMs === undefined) return;
      delays += 1;
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThan(failed.remainingMs);
    });
    fc.assert(property, runs(2000));
    expect(delays).toBeGreaterThan(50);
  },
  TIMEOUT_MS,
);
