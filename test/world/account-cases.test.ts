import { describe, expect, test } from "vitest";
import { numberedKeys, type ShortStory, type StoryEvent } from "./story.ts";
import { violationOf } from "./violation-of.ts";

/** On a busy machine. */
const LONG_MS = 120_000;

/** Two configured keys beside the others of the account, all of which are listed, by pages of four. */
function accountStory(events: readonly StoryEvent[]): ShortStory {
  const analytics = { file: 900, top: 50, queries: true, listing: "all" } as const;
  return {
    minutes: 35,
    scrapeSeconds: 60,
    account: { pageSize: 4 },
    settings: { keys: numberedKeys(2), analytics },
    events,
  };
}

describe("the account is shown as it is", () => {
  test.each<[string, readonly StoryEvent[]]>([
    [
      "while keys are created, renamed to one name, disabled and deleted",
      [
        { do: "key", at: 400, key: 503, change: "create" },
        { do: "key", at: 500, key: 502, change: "rename" },
        { do: "key", at: 510, key: 0, change: "rename" },
        { do: "key", at: 520, key: 501, change: "disable" },
        { do: "key", at: 800, key: 500, change: "delete" },
      ],
    ],
    [
      "while a deleted key is still in the last list",
      [
        { do: "key", at: 800, key: 500, change: "delete" },
        { do: "fault", at: 801, for: 900, what: 500, endpoint: "account" },
      ],
    ],
    [
      "when an ordinary key replaces the management key",
      [
        { do: "rotate", at: 700, file: 900, account: 5 },
        { do: "restart", at: 900 },
      ],
    ],
    [
      "when filters are rejected",
      [{ do: "fault", at: 1, for: 60, what: "no_filter", endpoint: "analytics" }],
    ],
    [
      "while lists are cut and partly unreadable",
      [
        { do: "fault", at: 400, for: 1200, what: 500, endpoint: "account", oneIn: 2 },
        { do: "fault", at: 400, for: 1200, what: "bad_row", endpoint: "account", oneIn: 2 },
      ],
    ],
    [
      "when the operations vanish for a while",
      [{ do: "fault", at: 400, for: 600, what: 404, endpoint: "account" }],
    ],
  ])("%s", (_, events) => expect(violationOf(accountStory(events))).resolves.toBeUndefined(), LONG_MS);
});

test(
  "a management key alone shows all keys, and spend without a key as unwatched",
  () =>
    expect(
      violationOf({ ...accountStory([]), settings: { ...accountStory([]).settings, keys: [] } }),
    ).resolves.toBeUndefined(),
  LONG_MS,
);

test(
  "a difference without keys that a reload has added is hidden until it is made again",
  () =>
    expect(
      violationOf({
        start: "2026-11-30T21:32:00.000Z",
        minutes: 5,
        scrapeSeconds: 150,
        lagSeconds: 20,
        aheadSeconds: 600,
        scale: 1_000_000,
        account: { pageSize: 4 },
        settings: {
          keys: numberedKeys(8).slice(2),
          connections: 2,
          pace: 60,
          keySchedule: "30s",
          analyticsSchedule: "60s",
          analytics: { file: 900, top: 50, queries: true },
        },
        events: [
          { do: "fault", at: 1, for: 60, what: "no_filter", endpoint: "analytics" },
          { do: "step", at: 10, by: -600 },
          { do: "reload", at: 153, change: { keys: numberedKeys(15) } },
        ],
      }),
    ).resolves.toBeUndefined(),
  LONG_MS,
);
