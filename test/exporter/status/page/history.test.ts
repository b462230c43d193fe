import { expect, test } from "vitest";
import { axisHistory, historySection, keyHistory } from "../../../../exporter/status/page/history.ts";
import { leftSpark } from "../../../../exporter/status/page/left.ts";
import type { History } from "../../../../exporter/status/history.ts";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import {
  DAY,
  forecast,
  historyOf,
  key,
  markupFaults,
  NOW,
  overviewOf,
  pageOf,
  textOf,
} from "./page-reader.ts";

const NAMES = { a: [0, 6], b: [5, 0], c: [1, 1], d: [1, 1], e: [1, 1], f: [0, 0.5], g: [0.25, 0] };

const sectionOf = (isLeast = false) =>
  historySection(overviewOf({ history: historyOf(NAMES, isLeast) }), "model").toString();

test("the spend by day is stacked by the largest, and the rest is one part", () => {
  const page = sectionOf();
  const [days = "", hours = ""] = page.split('aria-labelledby="hours"').map(textOf);
  expect(days).toContain("Spend by day 17.75 credits, as of 13:39 UTC");
  expect(days).toContain("Credits: 20 Nov 8.25, 21 Nov 9.50.");
  expect(days).toContain("a 6.00 b 5.00 c 2.00 d 2.00 e 2.00 everything else 0.75");
  expect(hours).toContain("Credits: 00:00 8.25, 01:00 9.50.");
  expect(markupFaults(page)).toEqual([]);
  // The bars of the second day: `a` begins at 0, `c` where `a` ends. The axis ends at 10.
  expect(page).toMatch(/--part:var\(--s0\)" d="M56\.25 40h37\.5v60h-37\.5Z"/);
  expect(page).toMatch(/--part:var\(--s2\)" d="[^"]*M56\.25 30h37\.5v10h-37\.5Z"/);
});

test("if rows are missing, the rest comes from the total", () => {
  expect(textOf(sectionOf(true))).toContain("Spend by day 30.00 credits");
  expect(textOf(sectionOf(true))).toContain("everything else 13.00");
});

test.each<[string, boolean, string]>([
  ["a", false, "Spend by day 6.00 credits"],
  ["other", false, "Spend by day 0.00 credits"],
  ["a", true, "Spend by day at least 6.00 credits"],
  ["other", true, "The gateway’s history is not known yet."],
])("the history of the model %s, with missing rows: %s", (name, isLeast, words) => {
  const overview = overviewOf({ history: historyOf(NAMES, isLeast) });
  expect(textOf(axisHistory(overview, "model", name).toString())).toContain(words);
});

test.each<[string, Partial<KeyRow>, string, string]>([
  [
    "lasts",
    { remaining: 50, forecast: forecast({ leftAtReset: 27.08 }) },
    // 8 credits were spent in two of twenty days, and 50 of 100 until now.
    "M63.33 42L66.67 44L68.57 50",
    "M68.57 50L100 72.92",
  ],
  [
    "ends before the reset",
    { remaining: 10, forecast: forecast({ outlook: "slow", exhaustionMs: NOW + 2.285 * DAY }) },
    "M63.33 82L66.67 84L68.57 90",
    "M68.57 90L76.18 100",
  ],
  ["is used up", { remaining: 0 }, "M63.33 92L66.67 94L68.57 100", ""],
])("what is left of a limit that %s is counted back from now, and estimated", (_name, more, past, ahead) => {
  const overview = overviewOf({ history: historyOf({ billing: [2, 6] }) });
  const page = keyHistory(key("billing", { day: undefined, reset: "monthly", ...more }), overview).toString();
  expect(page).toMatch(new RegExp(`class="past"\\s+d="${past}"`));
  expect(page).toContain(`d="${ahead}"`);
  expect(page.includes("ahead early")).toBe(ahead.endsWith(" 100"));
  expect(markupFaults(page)).toEqual([]);
});

test.each<[string, Partial<KeyRow>]>([
  ["without a limit", { limit: "unlimited", remaining: undefined }],
  ["with an unknown rest", { remaining: undefined }],
  ["that no list names", { name: "other" }],
])("a key %s has no picture of what is left", (_, more) => {
  expect(
    leftSpark(key("billing", more), overviewOf({ history: historyOf({ billing: [2, 6] }) })),
  ).toBeUndefined();
});

test("what the history lacks of today was spent since: at the beginning of the window nothing was", () => {
  const overview = overviewOf({ history: historyOf({ billing: [0.25, 0.25] }) });
  // Half a credit of two in the first two hours, and a whole one since.
  const more = { limit: 2, remaining: 0.5, day: 1.5, reset: "daily", nextResetMs: NOW + DAY / 2 } as const;
  const page = keyHistory(key("billing", more), overview).toString();
  expect(page).toContain('class="past" d="M0 0L4.17 12.5L56.99 75"');
});

test("the month is compared with the same days of the last one", () => {
  const startMs = Date.parse("2026-10-01T00:00:00Z");
  const amounts = Array.from({ length: 52 }, (_, day) => (day < 31 ? 1 : 2));
  const total = {
    ...historyOf({}).of("total", "day"),
    kind: "history" as const,
    startMs,
    count: 52,
    dataMs: NOW,
  };
  const pageWith = (more: object) => {
    const of: History["of"] = () => ({
      ...total,
      names: new Map([["_none", amounts]]),
      isLeast: false,
      ...more,
    });
    return historySection(overviewOf({ history: { ...historyOf({}), of } }), "model").toString();
  };
  const page = pageWith({});
  expect(textOf(page)).toContain("This month against the last 42.00 credits, last month 31.00 in all");
  // October has a day more than November.
  expect(page).toMatch(/class="before" d="M0 100L3\.23 98L[^"]*L100 38"/);
  expect(page).toMatch(/class="past" d="M0 100L3\.23 96L[^"]*L66\.35 16"/);
  expect(pageWith({ isLeast: true })).not.toContain("This month against");
  expect(pageWith({ startMs: startMs + DAY })).not.toContain("This month against");
  expect(pageWith({ dataMs: Date.parse("2026-10-31T23:59:00Z") })).not.toContain("This month against");
});

const words = (history?: ReturnType<typeof historyOf>) => textOf(pageOf({ keys: [key("billing")], history }));

test("the page says what would bring the history", () => {
  expect(words()).toContain("With a management key (analytics)");
  const none = { ...historyOf({}), of: () => undefined };
  expect(words(none)).toContain("The gateway’s history is not known yet.");
  const failure = { reason: "timeout", message: "Cannot query <b>" };
  const failing = { name: "", state: "down", failure, lastSuccessMs: undefined } as const;
  expect(words({ ...none, targets: () => [failing] })).toContain("is not known: Cannot query <b>.");
  const unnamed = keyHistory(key("other"), overviewOf({ history: historyOf({ billing: [1, 1] }) }));
  expect(textOf(unnamed.toString())).toContain("no list of the account’s keys shows this one");
});
