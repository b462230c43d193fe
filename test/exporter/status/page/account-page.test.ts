import { expect, test } from "vitest";
import { renderAccountPage } from "../../../../exporter/status/page/account-page.ts";
import type { Overview } from "../../../../exporter/status/overview.ts";
import type { UnwatchedRow } from "../../../../exporter/status/target-rows.ts";
import {
  ACCOUNT,
  budget,
  forecast,
  key,
  markupFaults,
  NOW,
  overviewOf,
  query,
  rows,
  textOf,
} from "./page-reader.ts";

function accountPage(more: Partial<Overview> = {}): string {
  const queries = [query("day", { credits: 4 }), query("month", { credits: 120 })];
  return renderAccountPage(overviewOf({ account: ACCOUNT, queries, ...more }), "/metrics").text;
}

test("the account has its balance, its spend, its budgets and its largest keys", () => {
  const keys = [
    key("small", { month: 6 }),
    key("large", { month: 60 }),
    key("unknown", { month: undefined }),
    key("refunded", { month: -1 }),
  ];
  const budgets = [budget("whole", { scope: { kind: "account" } }), budget("part")];
  const page = accountPage({ keys, budgets, creditValue: { currency: "EUR", value: 0.5, former: [] } });
  expect(markupFaults(page)).toEqual([]);
  const text = textOf(page);
  expect(text).toContain("Balance 20.00 10.00 EUR Bought in all 50.00 25.00 EUR Used in all 30.00 15.00 EUR");
  expect(text).toMatch(
    /Today 1 November 2026 4\.00 2\.00 EUR .* This month November 2026 120\.00 60\.00 EUR/,
  );
  expect(text).toContain("All 4 keys ; the month of 1 is unknown.");
  expect(rows(page).map(([name]) => name)).not.toContain("part");
  expect(
    rows(page)
      .filter(([name = ""]) => /^(large|small|refunded|unknown|whole)$/.test(name))
      .map((cells) => [cells[0], cells.at(-1)]),
  ).toEqual([
    ["whole", expect.stringContaining("the account")],
    ["large", "60.00 50.0%"],
    ["small", "6.00 5.0%"],
    ["refunded", "−1.00"],
  ]);
});

test("an unknown balance is not 0, and without a management key there is none", () => {
  const balance = { ...ACCOUNT.balance, bought: undefined, used: undefined, balance: undefined };
  expect(textOf(accountPage({ account: { ...ACCOUNT, balance } }))).toContain("Balance — Bought in all —");
  const none = renderAccountPage(overviewOf({ keys: [key("billing")] }), "/metrics").text;
  expect(textOf(none)).toContain("no management key is configured");
});

test.each<[string, object, string]>([
  [
    "runs out",
    forecast({ outlook: "slow", exhaustionMs: NOW + 3 * 86_400_000 }),
    "◆ Runs out used up in 3 d",
  ],
  ["lasts", forecast({}), "Estimate: it lasts for more than a week."],
])("a balance that %s says so", (_, outlook, words) => {
  const balance = { ...ACCOUNT.balance, forecast: forecast(outlook) };
  expect(textOf(accountPage({ account: { ...ACCOUNT, balance } }))).toContain(`Balance 20.00 ${words}`);
});

const UNWATCHED: UnwatchedRow = {
  ...ACCOUNT.capabilities,
  day: 0.5,
  month: 12.25,
  unresolvedKeys: 0,
  unresolvedNames: [],
};
const UNKNOWN = { day: undefined, month: undefined };

test.each<[string, Partial<UnwatchedRow>, string]>([
  ["known", {}, "Unwatched spend Today 0.50, this month 12.25 credits What keys spend"],
  ["zero", { day: 0, month: 0 }, "Today 0.00, this month 0.00 credits"],
  ["partly known", { day: undefined }, "Today — , this month 12.25 credits What keys spend"],
  [
    "unknown",
    UNKNOWN,
    "Today — , this month — credits Unknown: there is no answer yet, the gateway cannot exclude that many keys, or identifies keys by other hashes",
  ],
  [
    "hidden by unknown keys",
    { ...UNKNOWN, unresolvedKeys: 7, unresolvedNames: ["a", "b", "c", "d", "e", "f"] },
    "does not know 7 watched keys by hash, or their secrets could not be read, so their spend would count as unwatched. Configured: a, b, c, d, e and 1 more",
  ],
])("unwatched spend that is %s", (_, change, words) => {
  expect(textOf(accountPage({ unwatched: { ...UNWATCHED, ...change } }))).toContain(words);
});
