import { describe, expect, test } from "vitest";
import { violationOf } from "./violation-of.ts";
import { numberedKeys, type Fault } from "./story.ts";

/** The keys with other owners and other secrets. */
const moved = numberedKeys(10).map((key) => ({ ...key, file: key.file + 10, team: "blue" }));
const refusing = (retryAfter?: number): Fault => ({
  do: "fault",
  at: 0,
  for: 900,
  what: 429,
  endpoint: "key",
  accounts: [0, 1],
  ...(retryAfter !== undefined && { retryAfter }),
});

describe("a reload", () => {
  test("during the polls after midnight is not undone", () =>
    expect(
      violationOf({
        start: "2026-11-17T23:58:00Z",
        minutes: 12,
        events: [{ do: "reload", at: 220, change: { keys: moved } }],
        settings: { keys: numberedKeys(10), pace: 20 },
      }),
    ).resolves.toBeUndefined());

  test("to a gateway that does not answer shows nothing of the former one, in budgets either", () =>
    expect(
      violationOf({
        minutes: 30,
        scrapeSeconds: 10,
        events: [
          { do: "reload", at: 300, change: { gateway: "b" } },
          { do: "fault", at: 300, for: 900, what: 503, endpoint: "key" },
        ],
        settings: { keys: numberedKeys(3), budgets: [{ name: "all", window: "day", keys: "all" }] },
      }),
    ).resolves.toBeUndefined());

  test("to a secret that cannot be read shows nothing of the former one, in budgets either", () =>
    expect(
      violationOf({
        minutes: 30,
        scrapeSeconds: 10,
        events: [
          { do: "reload", at: 300, change: { keys: moved.slice(0, 3) } },
          { do: "fault", at: 300, for: 900, what: 401, endpoint: "key" },
        ],
        settings: { keys: numberedKeys(3), budgets: [{ name: "all", window: "day", keys: "all" }] },
      }),
    ).resolves.toBeUndefined());

  test("without show_label withdraws the fragment, although no poll succeeds", () =>
    expect(
      violationOf({
        minutes: 30,
        scrapeSeconds: 10,
        events: [
          { do: "fault", at: 290, for: 900, what: 503, endpoint: "key" },
          { do: "reload", at: 300, change: { keys: numberedKeys(3) } },
        ],
        settings: { keys: numberedKeys(3).map((key) => ({ ...key, label: true })), keySchedule: "15m" },
      }),
    ).resolves.toBeUndefined());
});

test("keys that wait when a reload shortens their schedule get their turns", () =>
  expect(
    violationOf({
      minutes: 12,
      events: [{ do: "reload", at: 1, change: { keySchedule: "* * * * *" } }],
      settings: { keys: numberedKeys(6), pace: 4, keySchedule: "7 * * * *" },
    }),
  ).resolves.toBeUndefined());

test("a key of an hourly schedule that fails once keeps its values and is up with its next poll", () =>
  expect(
    violationOf({
      start: "2026-11-17T12:00:00Z",
      minutes: 80,
      events: [
        { do: "fault", at: 225, for: 951, what: 503, endpoint: "key", accounts: [2], retryAfter: 3600 },
      ],
      settings: { keys: numberedKeys(5), pace: 20, keySchedule: "7 * * * *" },
    }),
  ).resolves.toBeUndefined());

describe("keys that the gateway refuses", () => {
  test("take turns when the gateway allows less than the pace", () =>
    expect(
      violationOf({
        minutes: 40,
        scrapeSeconds: 20,
        events: [
          { do: "fault", at: 0, for: 2400, what: "quota", endpoint: "key", perMinute: 50, retryAfter: 1 },
        ],
        settings: { keys: numberedKeys(100) },
      }),
    ).resolves.toBeUndefined());

  test.each([undefined, 60, 300])("two of 20 do not hide the others, with Retry-After %s", (retryAfter) =>
    expect(
      violationOf({ minutes: 60, events: [refusing(retryAfter)], settings: { keys: numberedKeys(20) } }),
    ).resolves.toBeUndefined(),
  );

  test.each([undefined, 300])("two of 200 do not hide the others, with Retry-After %s", (retryAfter) =>
    expect(
      violationOf({
        minutes: 20,
        scrapeSeconds: 30,
        events: [refusing(retryAfter)],
        settings: { keys: numberedKeys(200) },
      }),
    ).resolves.toBeUndefined(),
  );

  test.each([undefined, 300])(
    "one answer of 13 does not hide 2,000 keys, with Retry-After %s",
    (retryAfter) =>
      expect(
        violationOf({
          minutes: 15,
          scrapeSeconds: 120,
          events: [{ ...refusing(retryAfter), accounts: undefined, oneIn: 13 }],
          settings: { keys: numberedKeys(2000) },
        }),
      ).resolves.toBeUndefined(),
    LONG_MS,
  );
});

/** Two thousand keys take half a minute of a processor. */
const LONG_MS = 200_000;

describe("around midnight", () => {
  test("an answer that was cached yesterday is not shown as today's", () =>
    expect(
      violationOf({
        start: "2026-11-17T23:50:00Z",
        minutes: 30,
        scrapeSeconds: 10,
        events: [{ do: "fault", at: 480, for: 600, what: "stale", endpoint: "analytics" }],
        settings: {
          keys: numberedKeys(1),
          analytics: { file: 900, top: 50 },
          budgets: [{ name: "account", window: "day", account: true }],
        },
      }),
    ).resolves.toBeUndefined());

  test("last month is back soon after a 503 until 00:02:10 on the 1st", () =>
    expect(
      violationOf({
        start: "2026-11-30T23:50:00Z",
        minutes: 40,
        events: [{ do: "fault", at: 540, for: 190, what: 503, endpoint: "analytics" }],
        settings: { keys: numberedKeys(1), analytics: { file: 900, top: 50 } },
      }),
    ).resolves.toBeUndefined());

  test("keys of an hourly schedule are back soon after a minute of 503", () =>
    expect(
      violationOf({
        start: "2026-11-17T23:50:00Z",
        minutes: 40,
        events: [{ do: "fault", at: 680, for: 60, what: 503, endpoint: "key" }],
        settings: { keys: numberedKeys(5), keySchedule: "0 * * * *" },
      }),
    ).resolves.toBeUndefined());

  test("a clock that was 3 hours behind lets no probe pass its ceiling", () =>
    expect(
      violationOf({
        start: "2026-11-18T00:40:00Z",
        minutes: 60,
        aheadSeconds: -10_800,
        events: [
          { do: "restart", at: 900 },
          { do: "step", at: 1500, by: 10_800 },
        ],
        settings: {
          keys: numberedKeys(1),
          probes: { payers: ["k0"], schedule: "60s", perDay: 3, perRun: 1 },
        },
      }),
    ).resolves.toBeUndefined());
});

test("a process that resumes after a step of its clock shows no key as up that was not polled", () =>
  expect(
    violationOf({
      start: "2026-11-30T00:00:00Z",
      minutes: 8,
      scrapeSeconds: 90,
      aheadSeconds: -10_800,
      events: [
        { do: "step", at: 17, by: 10_800 },
        { do: "suspend", at: 18, for: 165 },
      ],
      settings: { keys: [{ name: "k0", file: 7 }], analytics: { file: 901, top: 4 } },
    }),
  ).resolves.toBeUndefined());

test("a clock that is stepped after another key has begun to pay lets no probe pass its ceiling", () =>
  expect(
    violationOf({
      minutes: 40,
      events: [
        { do: "reload", at: 600, change: { keys: [{ name: "k0", file: 6 }] } },
        { do: "step", at: 700, by: 5 },
        { do: "step", at: 900, by: -5 },
      ],
      settings: {
        keys: [{ name: "k0", file: 5 }],
        probes: { payers: ["k0"], schedule: "60s", perDay: 10, perRun: 1 },
      },
    }),
  ).resolves.toBeUndefined());

test(
  "the interval follows what two connections achieve",
  () =>
    expect(
      violationOf({
        minutes: 6,
        latencyMs: 400,
        settings: { keys: numberedKeys(300), connections: 2, pace: 0, keySchedule: "5s" },
      }),
    ).resolves.toBeUndefined(),
  LONG_MS,
);
