import { expect, test } from "vitest";
import { renderAccountPage } from "../../../../exporter/status/page/account-page.ts";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { budget, key, markupFaults, NOW, overviewOf, pageOf, query, rows, textOf } from "./page-reader.ts";

const UP = { state: "up", failure: undefined, lastSuccessMs: NOW - 1500 } as const;
const ACCOUNT = {
  balance: { name: "credits", ...UP, bought: 50, used: 30, balance: 20 },
  capabilities: { name: "capabilities", ...UP },
  listings: [],
  queries: [],
};

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
  expect(none).not.toContain('aria-label="Pages"');
});

test("all pages link each other, and the present one is marked", () => {
  expect(linked(accountPage())).toEqual(["/", "/account here", "/models", "/apps"]);
  expect(linked(pageOf({ account: ACCOUNT }))).toEqual(["/ here", "/account", "/models", "/apps"]);
});

function linked(page: string): readonly string[] {
  const [tabs = ""] = /<nav class="tabs"[\s\S]*?<\/nav>/.exec(page) ?? [];
  return [...tabs.matchAll(/href="([^"]*)"( aria-current="page")?/g)].map(([, path = "", current]) =>
    current ? `${path} here` : path,
  );
}
