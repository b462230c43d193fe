import * as fc from "fast-check";
import { expect, test } from "vitest";
import { waitHint } from "../../exporter/gateway/hint.ts";
import { retryDelay } from "../../exporter/gateway/retry.ts";
import { createPace } from "../../exporter/schedule/pace.ts";
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
    .map((told) => ({ error: { code: 429, metadata: { headers: told } } })),
);

const source = fc.record({
  status: fc.oneof(fc.constantFrom(429, 503), fc.integer({ min: 100, max: 599 })),
  headers,
  body: inBody,
  nowMs: fc.integer({ min: 0, max: 4_102_444_800_000 }),
});

test(
  "a retry-after is a time to wait, whatever the headers are, and no wait is longer than max_pause",
  async () => {
    let hints = 0;
    const property = fc.asyncProperty(
      source,
      fc.integer({ min: 1000, max: 86_400_000 }),
      async (told, maxPauseMs) => {
        const hintMs = waitHint(told);
        if (hintMs === undefined) return;
        hints += 1;
        expect(hintMs).toBeGreaterThan(0);
        expect(hintMs).toBeLessThan(Number.POSITIVE_INFINITY);
        const clock = createManualClock(told.nowMs);
        const perMinute = { key: 0, analytics: 60, transcription: 0 };
        const pace = createPace(clock, { perMinute, intervalMs: () => 60_000, connections: 2, maxPauseMs });
        const { signal } = new AbortController();
        for (const target of ["key/a", "key/b"]) {
          const ticket = await pace.admit("key", target, signal);
          ticket.done({ throttled: true, hintMs });
        }
        const untilMs = pace.throttledUntil().get("key") ?? Number.NaN;
        expect(untilMs - told.nowMs).toBeGreaterThan(0);
        expect(untilMs - told.nowMs).toBeLessThanOrEqual(maxPauseMs);
        await clock.advance(maxPauseMs);
        await expect(pace.admit("key", "key/a", signal)).resolves.toBeDefined();
      },
    );
    await fc.assert(property, runs(1000));
    expect(hints).toBeGreaterThan(50);
  },
  TIMEOUT_MS,
);

test(
  "a retry waits for a time within the deadline, or there is no retry",
  () => {
    const failure = fc.record({
      retryable: fc.boolean(),
      hintMs: fc.oneof(fc.constant(undefined), fc.double({ min: 0, noNaN: true })),
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
