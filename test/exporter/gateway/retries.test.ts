import { describe, expect, test } from "vitest";
import { moveTo } from "../../support/time-zone.ts";
import { retryDelay } from "../../../exporter/gateway/calls.ts";
import { retryAfter } from "../../../exporter/gateway/response.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");

function waitMs(headers: Record<string, string | string[] | undefined>, body: unknown = {}, status = 429) {
  return retryAfter({ status, headers, body, nowMs: NOW });
}

function inBody(headers: unknown): unknown {
  return { error: { code: 429, message: "Slow down", metadata: { headers } } };
}

describe("retryAfter: Retry-After", () => {
  test.each([
    ["30", 30_000],
    ["1.5", 1_500],
    ["0", undefined],
    ["9".repeat(400), Number.MAX_SAFE_INTEGER],
    ["", undefined],
    ["0x10", undefined],
    ["soon", undefined],
    ["Wed, 18 Nov 2026 12:00:45 GMT", 45_000],
    // The two obsolete forms of RFC 9110, 5.6.7; the second one names no zone.
    ["Wednesday, 18-Nov-26 12:00:45 GMT", 45_000],
    ["Wed Nov 18 12:00:45 2026", 45_000],
    ["2026-11-18T12:00:45Z", 45_000],
    ["Wed, 18 Nov 2026 11:59:59 GMT", undefined],
  ])("%j: %s ms, in any time zone of the machine", (text, wanted) => {
    moveTo("America/Los_Angeles");
    expect(waitMs({ "retry-after": text })).toBe(wanted);
  });
});

describe("retryAfter: X-RateLimit-Reset", () => {
  test.each([
    ["milliseconds", String(NOW + 20_000), 20_000],
    ["seconds", String(NOW / 1000 + 20), 20_000],
    ["the past", String(NOW - 1), undefined],
    ["not a number", "tomorrow", undefined],
  ])("%s", (_, text, wanted) => {
    expect(waitMs({ "x-ratelimit-reset": text })).toBe(wanted);
  });
});

describe("retryAfter: sources and their precedence", () => {
  const reset = String(NOW + 20_000);
  test.each([
    ["Retry-After wins", { "retry-after": "5", "x-ratelimit-reset": reset }, {}, 5_000],
    ["unless it cannot be read", { "retry-after": "?", "x-ratelimit-reset": reset }, {}, 20_000],
    ["or has passed", { "retry-after": "0", "x-ratelimit-reset": reset }, {}, 20_000],
    ["the first of several headers", { "retry-after": ["5", "9"] }, {}, 5_000],
    ["a header in capitals", { "RETRY-AFTER": "5" }, {}, 5_000],
    ["the body", {}, inBody({ "X-RateLimit-Reset": reset }), 20_000],
    ["the header before the body", { "retry-after": "5" }, inBody({ "Retry-After": "9" }), 5_000],
    ["a body with headers of a wrong type", {}, inBody("none"), undefined],
    ["no body", {}, undefined, undefined],
  ])("%s", (_, headers, body, wanted) => {
    expect(waitMs(headers, body)).toBe(wanted);
  });

  test.each([
    [429, 5_000],
    [503, 5_000],
    [200, undefined],
    [500, undefined],
  ])("status %i: %s ms", (status, wanted) => {
    expect(waitMs({ "retry-after": "5" }, {}, status)).toBe(wanted);
  });
});

const failure = { retryable: true, retryAfterMs: undefined, attempts: 1, remainingMs: 60_000 };

describe("retryDelay", () => {
  test.each([
    { when: "after the first attempt", change: {}, random: 0.5, wanted: 250 },
    { when: "after the third", change: { attempts: 3 }, random: 0.5, wanted: 1000 },
    { when: "after the fourth and last", change: { attempts: 4 }, random: 0.5, wanted: undefined },
    { when: "with the smallest jitter", change: {}, random: 0, wanted: 0 },
    { when: "with the largest jitter", change: { attempts: 3 }, random: 0.999, wanted: 1998 },
    { when: "a failure that is not retryable", change: { retryable: false }, random: 0, wanted: undefined },
    {
      change: { retryable: false, retryAfterMs: 1 },
      random: 0,
      wanted: undefined,
    },
    {
      when: "a wait that the server requests, without jitter",
      change: { retryAfterMs: 7_000 },
      random: 0.25,
      wanted: 7_000,
    },
    {
      change: { retryAfterMs: 1, attempts: 3 },
      random: 0.9,
      wanted: 1,
    },
    {
      change: { retryAfterMs: 1, attempts: 4 },
      random: 0,
      wanted: undefined,
    },
    { when: "a wait just before the deadline", change: { retryAfterMs: 59_999 }, random: 0, wanted: 59_999 },
    { when: "a backoff up to the deadline", change: { remainingMs: 250 }, random: 0.5, wanted: undefined },
    { when: "the deadline has passed", change: { remainingMs: -5 }, random: 0, wanted: undefined },
  ])("$when: $wanted ms", ({ change, random, wanted }) => {
    expect(retryDelay({ ...failure, ...change }, () => random)).toBe(wanted);
  });
});
