import { describe, expect, test } from "vitest";
import { retryDelay } from "../../../exporter/gateway/calls.ts";

const failure = { retryable: true, retryAfterMs: undefined, attempts: 1, remainingMs: 60_000 };

describe("retryDelay", () => {
  test.each([
    { when: "after the first attempt", change: {}, random: 0.5, wanted: 250 },
    { when: "after the second", change: { attempts: 2 }, random: 0.5, wanted: 500 },
    { when: "after the third", change: { attempts: 3 }, random: 0.5, wanted: 1000 },
    { when: "after the fourth and last", change: { attempts: 4 }, random: 0.5, wanted: undefined },
    { when: "after more than the last", change: { attempts: 5 }, random: 0.5, wanted: undefined },
    { when: "with the smallest jitter", change: {}, random: 0, wanted: 0 },
    { when: "with the largest jitter", change: { attempts: 3 }, random: 0.999, wanted: 1998 },
    { when: "a failure that is not retryable", change: { retryable: false }, random: 0, wanted: undefined },
    {
      when: "a failure that is not retryable, whatever the server requests",
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
      when: "a wait shorter than the backoff",
      change: { retryAfterMs: 1, attempts: 3 },
      random: 0.9,
      wanted: 1,
    },
    {
      when: "a wait after the last attempt",
      change: { retryAfterMs: 1, attempts: 4 },
      random: 0,
      wanted: undefined,
    },
    { when: "a wait up to the deadline", change: { retryAfterMs: 60_000 }, random: 0, wanted: undefined },
    { when: "a wait just before the deadline", change: { retryAfterMs: 59_999 }, random: 0, wanted: 59_999 },
    { when: "a backoff up to the deadline", change: { remainingMs: 250 }, random: 0.5, wanted: undefined },
    { when: "a backoff before the deadline", change: { remainingMs: 251 }, random: 0.5, wanted: 250 },
    { when: "no time left", change: { remainingMs: 0 }, random: 0, wanted: undefined },
    { when: "the deadline has passed", change: { remainingMs: -5 }, random: 0, wanted: undefined },
  ])("$when: $wanted ms", ({ change, random, wanted }) => {
    expect(retryDelay({ ...failure, ...change }, () => random)).toBe(wanted);
  });
});
