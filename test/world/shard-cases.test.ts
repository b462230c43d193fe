import { describe, expect, test } from "vitest";
import { numberedKeys, type ShortStory } from "./story.ts";
import { violationOf } from "./violation-of.ts";

const settings: ShortStory["settings"] = {
  keys: numberedKeys(8),
  analytics: { file: 900, top: 4, queries: true, listing: "all" },
  budgets: [
    { name: "all", window: "day", keys: "all" },
    { name: "account", window: "day", account: true },
  ],
  probes: { payers: ["k1"], schedule: "*/5 * * * *", perDay: 10, perRun: 1 },
};

/** A second each, and more on a busy machine. */
const TIME_LIMIT_MS = 300_000;

describe.each([1, 2, 5])("%d shards", (shards) => {
  test(
    "keep every invariant over a midnight at which one of them is killed",
    () =>
      expect(
        violationOf({
          start: "2026-11-30T23:52:00Z",
          minutes: 25,
          account: { pageSize: 4 },
          settings: { ...settings, shards },
          events: [{ do: "kill", at: 470, for: 40, process: shards - 1 }],
        }),
      ).resolves.toBeUndefined(),
    TIME_LIMIT_MS,
  );

  test(
    "become three and as many as before, gradually and at once, and no key has a gap",
    () =>
      expect(
        violationOf({
          minutes: 40,
          account: { pageSize: 100 },
          settings: { ...settings, shards },
          events: [
            { do: "resize", at: 300, for: 30, to: 3 },
            { do: "resize", at: 900, for: 25, to: shards },
            { do: "resize", at: 1500, for: 20, to: 3, abrupt: true },
          ],
        }),
      ).resolves.toBeUndefined(),
    TIME_LIMIT_MS,
  );
});

test(
  "a key that moves shows nothing of a gateway that was replaced meanwhile",
  () =>
    expect(
      violationOf({
        minutes: 15,
        settings: { keys: numberedKeys(8), shards: 2 },
        events: [
          { do: "resize", at: 300, for: 20, to: 3 },
          { do: "fault", at: 330, for: 300, what: 503, endpoint: "key" },
          { do: "reload", at: 340, change: { gateway: "b" } },
        ],
      }),
    ).resolves.toBeUndefined(),
  TIME_LIMIT_MS,
);

test(
  "a key that moves shows its fragment no longer than it is configured",
  () =>
    expect(
      violationOf({
        minutes: 15,
        settings: { keys: numberedKeys(8).map((key) => ({ ...key, label: true })), shards: 2 },
        events: [
          { do: "resize", at: 300, for: 20, to: 3 },
          { do: "fault", at: 330, for: 300, what: 503, endpoint: "key" },
          { do: "reload", at: 340, change: { keys: numberedKeys(8) } },
        ],
      }),
    ).resolves.toBeUndefined(),
  TIME_LIMIT_MS,
);

test(
  "a clock that was fast beyond the end of the month is set back, while a list of another shard shows a key",
  () =>
    expect(
      violationOf({
        seed: 11,
        start: "2026-12-31T23:41:00.000Z",
        minutes: 25,
        scrapeSeconds: 90,
        latencyMs: 50,
        aheadSeconds: 600,
        account: { pageSize: 4 },
        settings: {
          keys: [
            { name: "k0", file: 0 },
            { name: "k1", file: 1, team: "blue", label: true },
            { name: "k2", file: 6 },
          ],
          gateway: "b",
          pace: 20,
          keySchedule: "5m",
          analytics: { file: 900, top: 4, listing: "some" },
          budgets: [
            { name: "keys-month", window: "month", keys: "all" },
            { name: "account-total", window: "total", account: true },
          ],
          probes: { payers: ["k0"], schedule: "*/2 * * * *", perDay: 10, perRun: 1 },
          shards: 2,
        },
        events: [
          { do: "resize", at: 150, for: 42, to: 3 },
          { do: "step", at: 559, by: -600 },
        ],
      }),
    ).resolves.toBeUndefined(),
  TIME_LIMIT_MS,
);
