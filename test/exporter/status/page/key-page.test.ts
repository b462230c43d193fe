import { expect, test } from "vitest";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { renderKeyPage, renderMissingKey } from "../../../../exporter/status/page/key-page.ts";
import type { KeyRow } from "../../../../exporter/status/target-rows.ts";
import { budget, DAY, HISTORY, key, markupFaults, NOW, overviewOf, pageOf, textOf } from "./page-reader.ts";

const DOWN = {
  state: "down",
  failure: { reason: "unauthorized", message: "Cannot read: gateway answered 401" },
} as const;
const EVIL = `"><script>alert('1')</script>\n<img src=x onerror=alert(1)>\u202e&amp;/..%2f?#é`;

function pageOfKey(more: Partial<KeyRow> = {}, overview: Partial<Overview> = {}, name = "billing"): string {
  const keys = [key("other"), key(name, more)];
  return renderKeyPage(overviewOf({ keys, ...overview }), "/metrics", name)?.toString() ?? "";
}

test("the page of a key shows its state, limit, spend and owner, and only its budgets", () => {
  const budgets = [
    budget("mine", { scope: { kind: "keys", names: ["other", "billing"] } }),
    budget("theirs", { scope: { kind: "keys", names: ["other"] } }),
    budget("all", { scope: { kind: "account" } }),
  ];
  const owner = { team: "payments", project: "invoices", costCenter: "" };
  const text = textOf(pageOfKey({ owner }, { budgets, creditValue: { currency: "EUR", value: 0.5 } }));
  expect(text).toContain("Key billing What each key, model and app spends at https://gateway.example/api/v1");
  expect(text).toContain("payments · invoices");
  expect(text).toContain("● Up 12 s ago");
  expect(text).toContain("Limit used 60.00 of 100.00 60% Left 40.00 Resets monthly in 9 d 10 h");
  expect(text).toContain("Today 1.50 0.75 EUR This week 10.00 5.00 EUR This month 60.00 30.00 EUR");
  expect(text).toContain("mine");
  expect(text).not.toMatch(/theirs|all its keys/);
});

test.each<[string, Partial<KeyRow>, string | RegExp]>([
  [
    "runs out before its reset",
    { remaining: 4, day: 5 },
    /▲ Out before its reset Estimate: used up in 10 h \d+ min, before its reset, at 0\.37 credits an hour, the highest mean rate/,
  ],
  [
    "lasts",
    { remaining: 40 },
    /Estimate: \d+\.\d\d credits will be left at the reset, at 0\.1\d credits an hour/,
  ],
  [
    "never resets",
    { reset: "never", nextResetMs: undefined },
    /^(?!.*before its reset).*Estimate: used up in 1\d d \d+ h, at/,
  ],
  [
    "spends nothing",
    { day: 0, week: 0, month: 0, limit: 40 },
    "Nothing is spent at present, as far as is known.",
  ],
  ["is unlimited", { limit: "unlimited", remaining: undefined }, "The key has no limit."],
  [
    "has an unknown limit",
    { limit: undefined, remaining: undefined },
    "Whether the key has a limit is not known.",
  ],
  ["has an unknown rest", { remaining: undefined }, "What is left of the limit is not known."],
  ["is used up", { remaining: 0 }, "▲ Used up Nothing is left of 100.00 credits; it resets in 9 d 10 h."],
  [
    "is used up for ever",
    { remaining: 0, reset: "never", nextResetMs: undefined },
    "Nothing is left of 100.00 credits; it never resets.",
  ],
  [
    "is used up for an unknown time",
    { remaining: 0, reset: undefined, nextResetMs: undefined },
    "Nothing is left of 100.00 credits; its reset is not known.",
  ],
  ["is nearly used up", { remaining: 2 }, "◆ Nearly used up 98% of the limit is used."],
  ["fails", DOWN, "✕ Failing unauthorized last answered 12 s ago Cannot read: gateway answered 401"],
  [
    "is disabled",
    { isDisabled: true, isListed: true },
    "○ Disabled 12 s ago The key is listed by the account, but not polled.",
  ],
  ["expires", { expiryMs: NOW + 3 * DAY }, "12 s ago expires in 3 d"],
  ["is warned about", { warning: "some rows cannot be read" }, "some rows cannot be read"],
])("the page of a key that %s shows it in words", (_name, more, words) => {
  const text = textOf(pageOfKey(more));
  expect(text).toMatch(words);
});

test("a key without any answer has no amounts", () => {
  const nothing = { limit: undefined, remaining: undefined, reset: undefined, nextResetMs: undefined };
  const text = textOf(
    pageOfKey({
      ...nothing,
      state: "waiting",
      lastSuccessMs: undefined,
      day: undefined,
      week: undefined,
      month: undefined,
      total: undefined,
    }),
  );
  expect(text).toContain("○ Waiting not polled yet");
  expect(text).toContain("Today — This week — This month — All time —");
  expect(text).not.toContain("0.00");
});

test("the list of keys and the list of problems link to the page, whose own links lead back", () => {
  const list = pageOf({ keys: [key("billing", { remaining: 0 })] });
  expect(list.match(/<a href="\/keys\/billing">/g)).toHaveLength(2);
  const links = [...pageOfKey().matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link);
  expect(links).toEqual(["/keys/billing", "/#keys", "/metrics", "/-/healthy", "/-/ready"]);
});

test.each([EVIL, "a/b", "a b", "x".repeat(500), "\ud800"])(
  "a key named %j has a well-formed page, and a link that leads to it alone",
  (name) => {
    const page = pageOfKey(
      { owner: { team: EVIL, project: EVIL, costCenter: EVIL } },
      { history: HISTORY },
      name,
    );
    expect(markupFaults(page)).toEqual([]);
    expect(page).not.toMatch(/<script|<img/);
    const [, link = ""] = /<a href="(\/keys\/[^"]*)">Refresh/.exec(page) ?? [];
    expect(link).toMatch(/^\/keys\/[\w.!~*'()%&#;-]*$/);
    const target = new URL(
      link.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
      "http://x",
    );
    expect([target.search, target.hash]).toEqual(["", ""]);
    expect(decodeURIComponent(target.pathname.slice(6))).toBe(name.toWellFormed());
  },
);

test("a key that does not exist has no page, but an answer that shows its name as text", () => {
  expect(renderKeyPage(overviewOf({ keys: [key("billing")] }), "/metrics", "Billing")).toBeUndefined();
  const page = renderMissingKey(overviewOf({}), "/metrics", EVIL).toString();
  expect(markupFaults(page)).toEqual([]);
  expect(textOf(page)).toContain(`No key is named "><script>`);
  const shard = { ordinal: 0, total: 2, keysElsewhere: 5 };
  expect(textOf(renderMissingKey(overviewOf({ shard }), "/metrics", "x").toString())).toContain(
    "This process polls only part of the keys.",
  );
});

test("the pictures have a title and a text, and the page shows since when they are recorded", () => {
  const page = pageOfKey({}, { history: HISTORY });
  const pictures = [...page.matchAll(/<svg[^>]*role="img" aria-labelledby="(\S+) (\S+)"/g)];
  expect(pictures).toHaveLength(2);
  for (const [, title, text] of pictures) {
    expect(page).toContain(`<title id="${title}">`);
    expect(page).toContain(`<desc id="${text}">`);
  }
  const text = textOf(page);
  expect(text).toContain("1.50 credits at 2026-11-21 13:40:39 UTC.");
  expect(text).toContain("40.00 credits at 2026-11-21 13:40:39 UTC. The estimate follows.");
  expect(text).toContain("Recorded since 2026-11-21 11:40:39 UTC, at most about a day.");
  expect(page).not.toMatch(/<(?:svg|path)[^>]*style=/);
});

test("a picture shows no unknown amount as 0", () => {
  const text = textOf(pageOfKey({ day: undefined, remaining: undefined }, { history: HISTORY }));
  expect(text.match(/An unknown amount at 2026-11-21 13:40:39 UTC\./g)).toHaveLength(2);
  expect(text).not.toContain("0.00 credits");
});

test("without a history the page reports that it begins later", () => {
  const words =
    "The course of the key is not known yet. It is kept in memory and begins when the exporter starts.";
  expect(textOf(pageOfKey())).toContain(words);
  const empty = { sinceMs: NOW, of: () => [], start: () => {}, stop: () => {} };
  expect(textOf(pageOfKey({}, { history: empty }))).toContain(words);
});

test("the list of keys has two small pictures for each key, named for those who do not see them", () => {
  const list = pageOf({ keys: [key("billing"), key("free", { limit: "unlimited" })], history: HISTORY });
  expect(markupFaults(list)).toEqual([]);
  const labels = [...list.matchAll(/<svg[^>]*class="spark" role="img" aria-label="([^"]*)"/g)];
  expect(labels.map(([, label]) => label)).toEqual([
    "Course and estimate to the reset",
    "Course of today",
    "Course of today",
  ]);
});
