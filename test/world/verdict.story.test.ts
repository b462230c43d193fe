import { expect, test } from "vitest";
import { describeWithTools } from "../support/tools.ts";
import { alertFaults, type ScrapedStory } from "./alert-verdict.ts";
import { createCoverage } from "./calendar.ts";
import { justifiedAlerts } from "./justified-alerts.ts";
import { runStory } from "./run-story.ts";
import { FOREIGN } from "./account-keys.ts";
import { numberedKeys, type ShortStory, type StoryEvent, wholeStory } from "./story.ts";
import type { World } from "./world.ts";

const CHANGE = 1800;
const account: ShortStory = {
  minutes: 60,
  account: { pageSize: 100 },
  settings: {
    keys: numberedKeys(8),
    analytics: { file: 900, top: 50, queries: true, listing: "everywhere" },
    budgets: [{ name: "keys-day", window: "day", keys: "all" }],
  },
};

type Limit = Extract<StoryEvent, { do: "limit" }>["limit"];

function limits(key: number, ...changes: readonly Limit[]): readonly StoryEvent[] {
  return changes.map((limit, index) => ({ do: "limit", at: 1 + index * CHANGE, key, limit }));
}

/** Half an hour before and after each change. */
const STORIES: Readonly<Record<string, ShortStory>> = {
  "limits change": {
    ...account,
    events: [
      ...limits(0, { left: 2000, reset: "daily", byok: false }, { byok: true }),
      ...limits(1, { left: 2000, reset: "daily", byok: true }, { byok: false }),
      ...limits(2, { left: 25, reset: "daily" }, { left: 100_000 }),
      ...limits(3, { left: 5000, reset: "monthly" }, { left: 0 }),
      ...limits(4, { left: -1, reset: "daily" }, { left: null }),
      ...limits(5, { left: null, reset: null }, { left: 10, reset: "monthly" }),
      ...limits(6, { left: 5, reset: "daily" }, { reset: "monthly" }),
      ...limits(7, { left: 5, reset: null }, { reset: "weekly" }),
    ].toSorted((one, other) => one.at - other.at),
  },
  "keys change": {
    ...account,
    events: [
      { do: "key", at: CHANGE, key: 0, change: "rename" },
      { do: "key", at: CHANGE, key: 1, change: "expire" },
      { do: "rotate", at: CHANGE, file: 2 },
      { do: "rotate", at: CHANGE, file: 3, account: 13 },
      { do: "key", at: CHANGE, key: 4, change: "move" },
      { do: "key", at: CHANGE, key: 500, change: "delete" },
      { do: "key", at: CHANGE + 60, key: 503, change: "create", title: "Key 500" },
      { do: "key", at: CHANGE, key: 502, change: "move" },
    ],
  },
  "a limit is used up before the exporter starts again, in the first minutes of a month": {
    ...account,
    start: "2026-02-28T23:30:00Z",
    events: [
      ...limits(0, { left: 1, reset: null }),
      ...limits(1, { left: 20, reset: "monthly" }),
      { do: "metric", at: CHANGE - 300 },
      { do: "restart", at: CHANGE + 300 },
      { do: "rotate", at: CHANGE + 600, file: 900, account: FOREIGN },
    ],
  },
};

describeWithTools(["promtool3"], "alerts in the simulated world", ({ promtool3 }) =>
  test.each(Object.entries(STORIES))(
    "%s: nothing fires that the books do not justify, and nothing is missing",
    async (name, story) => {
      const scraped = await scrapedStory(name, story);
      expect(await alertFaults(promtool3, [scraped])).toEqual([]);
    },
  ),
);

/** Runs a story, and keeps what a Prometheus scrapes each minute. @throws Error if it breaks an invariant. */
async function scrapedStory(name: string, short: ShortStory): Promise<ScrapedStory> {
  const story = wholeStory({ ...short, scrapeSeconds: 60 });
  const scrapes: (string | undefined)[] = [];
  let world: World | undefined;
  const violation = await runStory(story, createCoverage(), (lived) => {
    world = lived;
    return {
      scraped: ({ at, text }) => {
        const minute = Math.ceil(at / 60_000);
        while (scrapes.length < minute) scrapes.push(undefined);
        scrapes[minute] = text;
        return [];
      },
    };
  });
  if (violation) throw new Error(`${violation.invariant}: ${violation.message}`);
  if (!world) throw new Error("The story has no world");
  const minutes = Math.min(story.minutes, scrapes.length);
  return {
    name,
    start: story.start,
    minutes,
    scrapes: scrapes.slice(0, minutes),
    alerts: justifiedAlerts(world, minutes),
    isCalm: story.events.every((event) => event.do !== "fault"),
  };
}
