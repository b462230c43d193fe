import { testKey } from "../../../support/test-config.ts";
import { expect, test } from "vitest";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { keyModelsSection, renderKeyPage } from "../../../../exporter/status/page/key-page.ts";
import type { KeyRow, QueryRow } from "../../../../exporter/status/target-rows.ts";
import {
  DAY,
  UNKNOWN_KEY,
  NOW,
  budget,
  forecast,
  historyOf,
  key,
  markupFaults,
  overviewOf,
  pageOf,
  query,
  rows,
  textOf,
} from "./page-reader.ts";
import type { NameThere } from "../../../../exporter/status/key-names.ts";

const EVIL = `"><script>alert('1')</script>\n<img src=x onerror=alert(1)>\u202e&amp;/..%2f?#é`;

function pageOfKey(more: Partial<KeyRow> = {}, overview: Partial<Overview> = {}, name = "billing"): string {
  const keys = [key("other"), key(name, more)];
  return renderKeyPage(overviewOf({ keys, ...overview }), "/metrics", name).text;
}

test("the page of a key shows its state, limit, spend and owner, and only its budgets", () => {
  const budgets = [
    budget("mine", { scope: { kind: "keys", names: ["other", "billing"] } }),
    budget("theirs", { scope: { kind: "keys", names: ["other"] } }),
    budget("all", { scope: { kind: "account" } }),
  ];
  const owner = { team: "payments", project: "invoices", costCenter: "" };
  const text = textOf(
    pageOfKey({ owner }, { budgets, creditValue: { currency: "EUR", value: 0.5, former: [] } }),
  );
  expect(text).toContain("Key billing What each key, model and app spends at https://gateway.example/api/v1");
  expect(text).toContain("payments · invoices");
  expect(text).toContain("● Up 12 s ago");
  expect(text).toContain("Limit used 60.00 of 100.00 60% Left 40.00 Resets monthly in 9 d 10 h");
  expect(text).toContain("Today 1.50 0.75 EUR This week 10.00 5.00 EUR This month 60.00 30.00 EUR");
  expect(text).toContain("mine");
  expect(text).not.toMatch(/theirs|all its keys/);
});

const IN_TEN_HOURS = NOW + 10 * 3_600_000;
const NEVER = { reset: "never", nextResetMs: undefined } as const;

test.each<[string, Partial<KeyRow>, string | RegExp]>([
  [
    "runs out before its reset",
    {
      forecast: forecast({
        outlook: "predicted",
        exhaustionMs: IN_TEN_HOURS,
        basis: "1h",
        burn: { "1h": 0.37 },
      }),
    },
    "◆ Runs out within a day used up in 10 h at 0.37 credits an hour, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
  ],
  [
    "is about to run out",
    { forecast: forecast({ outlook: "imminent", exhaustionMs: NOW + 20 * 60_000 }) },
    "▲ Runs out within the hour used up in 20 min, 40.00 of 100.00 credits are left; resets in 9 d 10 h",
  ],
  [
    "lasts",
    { forecast: forecast({ leftAtReset: 12, basis: "usual" }) },
    "Estimate: 12.00 credits will be left at the reset.",
  ],
  [
    "never resets, and runs out",
    { ...NEVER, forecast: forecast({ outlook: "slow", exhaustionMs: IN_TEN_HOURS }) },
    "◆ Runs out within a day used up in 10 h, 40.00 of 100.00 credits are left; it never resets",
  ],
  [
    "never resets, and lasts",
    { ...NEVER, forecast: forecast({}) },
    "Estimate: it lasts for more than a week.",
  ],
  [
    "has nothing left to call with",
    { remaining: 0.2, forecast: forecast({ outlook: "exhausted" }) },
    "▲ Used up nothing is left of 100.00 credits",
  ],
  [
    "is new",
    { forecast: forecast({ outlook: "learning" }) },
    "is not known yet: the exporter is still learning.",
  ],
  ["was silent", { forecast: forecast({ outlook: "unknown" }) }, "How long it lasts is not known."],
  ["has no forecast", {}, "How long it lasts is not known."],
  ["is unlimited", { limit: "unlimited", remaining: undefined }, "The key has no limit."],
  [
    "has an unknown limit",
    { limit: undefined, remaining: undefined },
    "Whether the key has a limit is not known.",
  ],
  ["has an unknown rest", { remaining: undefined }, "What is left of the limit is not known."],
  ["is used up", { remaining: 0 }, "▲ Used up nothing is left of 100.00 credits; resets in 9 d 10 h"],
  [
    "is used up for ever",
    { remaining: 0, reset: "never", nextResetMs: undefined },
    "nothing is left of 100.00 credits; it never resets",
  ],
  [
    "is used up for an unknown time",
    { remaining: 0, reset: undefined, nextResetMs: undefined },
    "nothing is left of 100.00 credits; its reset is unknown",
  ],
  [
    "is nearly used up",
    { remaining: 2 },
    "◆ Nearly used up 98% is used, 2.00 of 100.00 credits are left; resets in 9 d 10 h",
  ],
  [
    "fails",
    UNKNOWN_KEY,
    "▲ Refused unauthorized last answered 12 s ago Cannot read: gateway answered 401. The gateway does not know this key. Copy its secret",
  ],
  ["is disabled", { isDisabled: true, isListed: true }, "○ Disabled 12 s ago listed, not polled"],
  ["expires", { expiryMs: NOW + 3 * DAY }, "12 s ago expires in 3 d"],
  ["is warned about", { warning: "some rows cannot be read" }, "some rows cannot be read"],
])("the page of a key that %s shows it in words", (_name, more, words) => {
  const text = textOf(pageOfKey(more));
  expect(text).toMatch(words);
});

test("the list of keys and the list of problems link to the page, whose own links lead back", () => {
  const list = pageOf({ keys: [key("billing", { remaining: 0 })] });
  expect(list.match(/<a href="\/keys\/billing">/g)).toHaveLength(2);
  const links = [...pageOfKey().matchAll(/<a (?:class="side" )?href="([^"]*)"/g)]
    .map(([, link]) => link)
    .slice(5);
  expect(links).toEqual(["/keys/billing", "/metrics"]);
});

test.each([EVIL, "a/b", "a b", "x".repeat(500), "\ud800"])(
  "a key named %j has a well-formed page, and a link that leads to it alone",
  (name) => {
    const page = pageOfKey(
      { owner: { team: EVIL, project: EVIL, costCenter: EVIL } },
      { history: historyOf({ [name]: [1, 2] }) },
      name,
    );
    expect(markupFaults(page)).toEqual([]);
    expect(page).not.toMatch(/<script|<img/);
    const [, link = ""] = /href="(\/keys\/[^"]*)">Refresh/.exec(page) ?? [];
    expect(link).toMatch(/^\/keys\/[\w.!~*'()%&#;-]*$/);
    const target = new URL(
      link.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
      "http://x",
    );
    expect([target.search, target.hash]).toEqual(["", ""]);
    expect(decodeURIComponent(target.pathname.slice(6))).toBe(name.toWellFormed());
  },
);

test("a key that does not exist has an answer that shows its name as text", () => {
  const shard = { ordinal: 0, total: 2, elsewhere: [testKey("elsewhere")] };
  const missing = renderKeyPage(overviewOf({ keys: [key("billing")], shard }), "/metrics", EVIL);
  expect(missing.isMissing).toBe(true);
  expect(markupFaults(missing.text)).toEqual([]);
  expect(textOf(missing.text)).toMatch(/No key is named "><script>.*polls only part of the keys\./);
});

const OTHER = { model: "_other", app: "_other", credits: 1 };

function sectionOf(more: Partial<QueryRow>, model = "acme/one", name: Partial<NameThere> = {}): string {
  const pairs = [{ model, app: "", credits: 3 }, OTHER];
  const windows = [query("day", { credits: 4, pairs, ...more })];
  return keyModelsSection({ label: "Prod", isShared: false, ...name }, windows).text;
}

test("the models of a key add up to its spend", () => {
  expect(rows(sectionOf({}))).toEqual([
    ["Model", "Today"],
    ["acme/one", "3.00 75.0%"],
    ["Everything else", "1.00 25.0%"],
    ["In all", "4.00"],
  ]);
});

test.each<[string, Partial<QueryRow>, string]>([
  ["a partial answer is a lower bound", { isLeast: true }, "In all at least 4.00"],
  ["an answer that tells nothing of the key is unknown", { credits: undefined, pairs: [] }, "In all —"],
  ["no answer is unknown", { credits: undefined, pairs: [], dataMs: undefined }, "In all —"],
  ["nothing spent is 0", { credits: 0, pairs: [] }, "In all 0.00"],
])("%s", (_, more, words) => expect(textOf(sectionOf(more))).toContain(words));

test("hostile names are text", () => {
  const evil = `"><script>x</script>\u202e`;
  const section = sectionOf({}, evil, { label: evil });
  expect(markupFaults(section)).toEqual([]);
  expect(section).not.toContain("<script");
});
