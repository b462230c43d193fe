import { expect, test } from "vitest";
import { numberedKeys, type ShortStory } from "./story.ts";
import { violationOf } from "./run-story.ts";

/** The keys with other owners and other secrets. */
const moved = numberedKeys(10).map((key) => ({ ...key, file: key.file + 10, team: "blue" }));
const account: ShortStory = {
  minutes: 35,
  scrapeSeconds: 60,
  account: { pageSize: 4 },
  settings: {
    keys: numberedKeys(2),
    analytics: { file: 900, top: 50, queries: true, listing: "all" },
  },
};
/** Stories that once broke an invariant, or that operators meet and the search meets rarely. */
const CASES: Readonly<Record<string, ShortStory>> = {
  "what is used up stays so when a fast clock is set back": {
    start: "2026-02-28T00:01:00Z",
    minutes: 25,
    scrapeSeconds: 45,
    aheadSeconds: 600,
    events: [{ do: "step", at: 10, by: -600 }],
    settings: { keys: [{ name: "k0", file: 0 }], keySchedule: "7 * * * *" },
  },
  "what a fast clock made unknown is known again, in the metrics as in the JSON": {
    start: "2026-02-28T23:49:00Z",
    minutes: 8,
    scrapeSeconds: 45,
    aheadSeconds: 600,
    account: { pageSize: 4 },
    events: [{ do: "step", at: 95, by: -600 }],
    settings: {
      keys: [{ name: "k0", file: 0 }],
      gateway: "b",
      keySchedule: "7 * * * *",
      analyticsSchedule: "15m",
      analytics: { file: 901, top: 2, queries: true, listing: "everywhere" },
    },
  },
  "a fast clock that is set back repeats the instant of a poll, whose answer counts all the same": {
    start: "2026-02-28T23:56:00Z",
    minutes: 24,
    scrapeSeconds: 45,
    aheadSeconds: 600,
    events: [{ do: "step", at: 314, by: -600 }],
    settings: { keys: [{ name: "k0", file: 2 }], gateway: "b", keySchedule: "7 * * * *" },
  },
  "a reload during the polls after midnight is not undone": {
    start: "2026-11-17T23:58:00Z",
    minutes: 12,
    events: [{ do: "reload", at: 220, change: { keys: moved } }],
    settings: { keys: numberedKeys(10), pace: 20 },
  },
  "a reload to a gateway that does not answer shows nothing of the former one, in budgets either": {
    minutes: 20,
    scrapeSeconds: 10,
    events: [
      { do: "reload", at: 300, change: { gateway: "b" } },
      { do: "fault", at: 300, for: 600, what: 503, endpoint: "key" },
    ],
    settings: { keys: numberedKeys(3), budgets: [{ name: "all", window: "day", keys: "all" }] },
  },
  "a reload without show_label withdraws the fragment, although no poll succeeds": {
    minutes: 20,
    scrapeSeconds: 10,
    events: [
      { do: "fault", at: 290, for: 600, what: 503, endpoint: "key" },
      { do: "reload", at: 300, change: { keys: numberedKeys(3) } },
    ],
    settings: { keys: numberedKeys(3).map((key) => ({ ...key, label: true })), keySchedule: "15m" },
  },
  "a key of an hourly schedule that fails once keeps its values and is up with its next poll": {
    start: "2026-11-17T12:00:00Z",
    minutes: 80,
    events: [{ do: "fault", at: 225, for: 951, what: 503, endpoint: "key", accounts: [2], retryAfter: 3600 }],
    settings: { keys: numberedKeys(5), pace: 20, keySchedule: "7 * * * *" },
  },
  "two refused keys of 20 with a long Retry-After do not hide the others": {
    minutes: 25,
    events: [{ do: "fault", at: 0, for: 900, what: 429, endpoint: "key", accounts: [0, 1], retryAfter: 300 }],
    settings: { keys: numberedKeys(20) },
  },
  "an answer that was cached yesterday is not shown as today's": {
    start: "2026-11-17T23:50:00Z",
    minutes: 30,
    scrapeSeconds: 10,
    events: [{ do: "fault", at: 480, for: 600, what: "stale", endpoint: "analytics" }],
    settings: {
      keys: numberedKeys(1),
      analytics: { file: 900, top: 50 },
      budgets: [{ name: "account", window: "day", account: true }],
    },
  },
  "last month is back soon after a 503 until 00:02:10 on the 1st": {
    start: "2026-11-30T23:50:00Z",
    minutes: 40,
    events: [{ do: "fault", at: 540, for: 190, what: 503, endpoint: "analytics" }],
    settings: { keys: numberedKeys(1), analytics: { file: 900, top: 50 } },
  },
  "a process that resumes after a step of its clock shows no key as up that was not polled": {
    start: "2026-11-30T00:00:00Z",
    minutes: 8,
    scrapeSeconds: 90,
    aheadSeconds: -10_800,
    events: [
      { do: "step", at: 17, by: 10_800 },
      { do: "suspend", at: 18, for: 165 },
    ],
    settings: { keys: [{ name: "k0", file: 7 }], analytics: { file: 901, top: 4 } },
  },
  "keys of the account are created, renamed to one name, disabled and deleted": {
    ...account,
    events: [
      { do: "key", at: 400, key: 503, change: "create" },
      { do: "key", at: 500, key: 502, change: "rename" },
      { do: "key", at: 510, key: 0, change: "rename" },
      { do: "key", at: 520, key: 501, change: "disable" },
      { do: "key", at: 800, key: 500, change: "delete" },
      { do: "fault", at: 801, for: 600, what: 500, endpoint: "account" },
    ],
  },
  "an ordinary key replaces the management key": {
    ...account,
    events: [
      { do: "rotate", at: 700, file: 900, account: 5 },
      { do: "restart", at: 900 },
    ],
  },
  "filters are rejected, and lists are cut and partly unreadable": {
    ...account,
    events: [
      { do: "fault", at: 1, for: 60, what: "no_filter", endpoint: "analytics" },
      { do: "fault", at: 400, for: 900, what: 500, endpoint: "account", oneIn: 2 },
      { do: "fault", at: 400, for: 900, what: "bad_row", endpoint: "account", oneIn: 2 },
    ],
  },
};

test.each(Object.entries(CASES))("%s", (_, story) => expect(violationOf(story)).resolves.toBeUndefined());
