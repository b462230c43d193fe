import { expect, test } from "vitest";
import { numberedKeys, type ShortStory } from "./story.ts";
import { violationOf } from "./run-story.ts";

/** Stories like those of cases.story.test.ts, which take longer or are near to one of them. */
const CASES: Readonly<Record<string, ShortStory>> = {
  "a reload to a secret that is refused shows nothing of the former one, in budgets either": {
    minutes: 20,
    scrapeSeconds: 10,
    events: [
      {
        do: "reload",
        at: 300,
        change: { keys: numberedKeys(3).map((key) => ({ ...key, file: key.file + 10 })) },
      },
      { do: "fault", at: 300, for: 600, what: 401, endpoint: "key" },
    ],
    settings: { keys: numberedKeys(3), budgets: [{ name: "all", window: "day", keys: "all" }] },
  },
  "keys that wait when a reload shortens their schedule get their turns": {
    minutes: 12,
    events: [{ do: "reload", at: 1, change: { keySchedule: "* * * * *" } }],
    settings: { keys: numberedKeys(6), pace: 4, keySchedule: "7 * * * *" },
  },
  "keys take turns when the gateway allows less than the pace": {
    minutes: 30,
    scrapeSeconds: 30,
    events: [{ do: "fault", at: 0, for: 1800, what: "quota", endpoint: "key", perMinute: 25, retryAfter: 1 }],
    settings: { keys: numberedKeys(50) },
  },
  "two refused keys of 20 do not hide the others": {
    minutes: 25,
    events: [{ do: "fault", at: 0, for: 900, what: 429, endpoint: "key", accounts: [0, 1] }],
    settings: { keys: numberedKeys(20) },
  },
  "one refusal of 13 answers does not hide 100 keys": {
    minutes: 15,
    scrapeSeconds: 60,
    events: [{ do: "fault", at: 0, for: 900, what: 429, endpoint: "key", oneIn: 13, retryAfter: 300 }],
    settings: { keys: numberedKeys(100) },
  },
  "the interval follows what two connections achieve": {
    minutes: 3,
    latencyMs: 400,
    settings: { keys: numberedKeys(100), connections: 2, pace: 0, keySchedule: "5s" },
  },
  "a management key alone shows all keys, and spend without a key as unwatched": {
    minutes: 35,
    scrapeSeconds: 60,
    account: { pageSize: 4 },
    settings: { keys: [], analytics: { file: 900, top: 50, queries: true, listing: "all" } },
  },
};

test.each(Object.entries(CASES))("%s", (_, story) => expect(violationOf(story)).resolves.toBeUndefined());
