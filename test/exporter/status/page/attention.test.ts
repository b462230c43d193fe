import { expect, test } from "vitest";
import type { Overview } from "../../../../exporter/status/overview.ts";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import {
  ACCOUNT,
  budget,
  DAY,
  DOWN,
  forecast,
  gaps,
  key,
  NOW,
  pageOf,
  probe,
  query,
  textOf,
} from "./page-reader.ts";

/** The items of the list, each after its colour. */
function listed(overview: Partial<Overview>): readonly string[] {
  const [, list = ""] = /aria-labelledby="attention">([\s\S]*?)<\/section>/.exec(pageOf(overview)) ?? [];
  return [...list.matchAll(/<li class="(\w+)">([\s\S]*?)<\/li>/g)].map(
    ([, urgency, text = ""]) => `${urgency}: ${textOf(text)}`,
  );
}

const HOUR = 3_600_000;
const runsOut = (outlook: "imminent" | "predicted" | "slow" | "exhausted", inMs: number) => ({
  forecast: forecast({ outlook, exhaustionMs: NOW + inMs }),
});

test.each<[string, Partial<KeyRow>, string]>([
  ["refused", DOWN, "stopped: billing ▲ Refused last answered 12 s ago Cannot read: gateway answered 401"],
  [
    "used up",
    { remaining: 0 },
    "stopped: billing ▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h",
  ],
  [
    "used up, and cannot be polled",
    { remaining: 0, state: "down", failure: { reason: "timeout", message: "Cannot read" } },
    "stopped: billing ▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h; ✕ Failing timeout last answered 12 s ago Cannot read",
  ],
  [
    "used up, and never resets",
    { remaining: -1, reset: "never", nextResetMs: undefined },
    "stopped: billing ▲ Used up nothing is left of 100.00 credits; it never resets",
  ],
  [
    "so empty that no call succeeds",
    { remaining: 0.2, ...runsOut("exhausted", -60_000) },
    "stopped: billing ▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h",
  ],
  ["expired", { expiryMs: NOW - 3 * DAY }, "stopped: billing ▲ Expired 3 d ago"],
  [
    "about to run out",
    runsOut("imminent", 25 * 60_000),
    "hour: billing ▲ Runs out within the hour used up in 25 min, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
  ],
  [
    "going to run out in less than an hour",
    runsOut("predicted", 37 * 60_000),
    "hour: billing ▲ Runs out within the hour used up in 37 min, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
  ],
  [
    "going to run out today",
    runsOut("predicted", 9 * HOUR),
    "day: billing ◆ Runs out within a day used up in 9 h, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
  ],
  [
    "going to run out",
    runsOut("slow", 2 * DAY),
    "week: billing ◆ Runs out used up in 2 d, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
  ],
  ["about to expire", { expiryMs: NOW + 1.5 * HOUR }, "day: billing ◆ Expires within a day in 1 h 30 min"],
  [
    "about to run out, and then expires",
    { expiryMs: NOW + 3 * DAY, ...runsOut("imminent", HOUR / 2) },
    "hour: billing ▲ Runs out within the hour used up in 30 min, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
  ],
  [
    "nearly used up, of which nothing more is known",
    {
      limit: 0.3,
      remaining: 0.009,
      reset: "never",
      nextResetMs: undefined,
      forecast: forecast({ outlook: "learning" }),
    },
    "week: billing ◆ Nearly used up 97% is used, 0.01 of 0.30 credits are left; it never resets",
  ],
])("a key that is %s needs attention", (_, more, text) => {
  expect(listed({ keys: [key("billing", more)] })).toEqual([text]);
});

test.each<[string, Partial<KeyRow>]>([
  ["has used less than 97%", { remaining: 3.01 }],
  ["has used 99%, but lasts", { remaining: 1, forecast: forecast({}) }],
  ["is unlimited", { limit: "unlimited", remaining: undefined }],
  ["has an unknown rest", { remaining: undefined }],
  ["expires in a month", { expiryMs: NOW + 30 * DAY }],
  ["is disabled", { remaining: 0, isListed: true, isDisabled: true }],
])("a key that %s needs none", (_, more) => {
  expect(listed({ keys: [key("billing", more)] })).toEqual([]);
});

const WARNED = { ...ACCOUNT.capabilities, warning: 'names "modle"' };
const BROKEN = { state: "down", failure: { reason: "wrong_text", message: "Heard <another> text" } } as const;

test("the most urgent comes first, then what fails, then warnings", () => {
  const balance = { ...ACCOUNT.balance, ...runsOut("predicted", 20 * HOUR) };
  const overview = {
    failedReloadMs: NOW - 120_000,
    keys: [
      key("later", runsOut("slow", 3 * DAY)),
      key("soon", runsOut("predicted", 5 * HOUR)),
      key("now", { remaining: 0 }),
      key("blind", { ...DOWN, failure: { reason: "timeout", message: "Cannot read" } }),
    ],
    queries: [query("month", BROKEN)],
    budgetQueries: [{ ...query("since_2026-11-01"), ...BROKEN }],
    budgets: [
      budget("kept"),
      budget("over", { spent: 612.3 }),
      budget("prepaid", { window: { startMs: NOW, endMs: Infinity }, spent: 501, gaps: gaps({ old: 1 }) }),
    ],
    account: { ...ACCOUNT, balance, capabilities: WARNED },
    probes: { rows: [probe("good"), probe("bad", BROKEN)], spentToday: 0, ceiling: 0.5 },
  };
  expect(listed(overview)).toEqual([
    "stopped: now ▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h",
    "day: soon ◆ Runs out within a day used up in 5 h, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
    "day: Balance of the account ◆ Runs out within a day used up in 20 h, 20.00 credits are left; at its end every call fails",
    "day: Configuration ✕ Not reloaded the last reload failed 2 min ago; the former configuration applies. The log and the command check report the problems.",
    "day: over ✕ Exceeded budget: 612.30 of 500.00 credits spent; its window ends in 9 d 10 h",
    "day: prepaid ✕ Exceeded budget: at least 501.00 of 500.00 credits spent; it never ends",
    "day: blind ✕ Failing timeout last answered 12 s ago Cannot read",
    "day: Models and apps, this month ✕ Failing wrong_text last answered 5 s ago Heard <another> text",
    "day: Budgets, since 2026-11-01 ✕ Failing wrong_text last answered 5 s ago Heard <another> text",
    "day: Probe bad ✕ Failing wrong_text last succeeded 1 min ago Heard <another> text",
    "week: later ◆ Runs out used up in 3 d, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
    'week: Names that queries may use ◆ Warning 2 s ago names "modle"',
  ]);
  expect(pageOf(overview)).toContain("<title>(4 failing) AI gateway exporter</title>");
});

test("what several keys share is listed once, and the balance speaks for the keys that it bounds", () => {
  const layer = {
    sharedId: "b1",
    source: "workspace",
    remainingCredits: 50,
    limitCredits: 60,
    includesByok: true,
  };
  const of = (source: string) => ({
    layers: [{ ...layer, spentCredits: 10, window: undefined, nextResetMs: undefined }],
    forecast: forecast({ outlook: "imminent", exhaustionMs: NOW + HOUR / 2, isShared: true, source }),
  });
  const keys = [key("docs", of("workspace")), key("web", of("workspace")), key("etl", of("account"))];
  expect(listed({ keys })).toEqual([
    "hour: Budget workspace ▲ Runs out within the hour the budget workspace is used up in 30 min; stops 2 keys: docs, web",
  ]);
});

test("listed keys fail with their list, which is reported once", () => {
  const keys = ["web", "docs"].map((name) => key(name, { isListed: true, ...DOWN }));
  const listings = [{ ...ACCOUNT.capabilities, name: "default", ...DOWN, keys: 2 }];
  expect(listed({ keys, account: { ...ACCOUNT, listings } })).toEqual([
    "day: Keys of the default workspace ✕ Failing unauthorized last answered 2 s ago Cannot read: gateway answered 401",
  ]);
});

test("a dozen are named, and the others counted", () => {
  const keys = Array.from({ length: 15 }, (_, index) => key(`key-${index}`, { remaining: 0 }));
  expect(listed({ keys })).toHaveLength(12);
  expect(textOf(pageOf({ keys }))).toContain("… and 3 more, see below.");
});
