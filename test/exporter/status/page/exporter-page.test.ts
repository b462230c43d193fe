import { expect, test } from "vitest";
import type { Overview } from "../../../../exporter/status/overview.ts";
import { renderExporterPage } from "../../../../exporter/status/page/exporter-page.ts";
import type { TargetRow } from "../../../../exporter/status/target-rows.ts";
import {
  ACCOUNT,
  forecast,
  markupFaults,
  NOW,
  overviewOf,
  probe,
  query,
  rows,
  textOf,
} from "./page-reader.ts";

const exporterPage = (overview: Partial<Overview>) =>
  renderExporterPage(overviewOf(overview), "/metrics").text;

const row = (name: string, more: Partial<TargetRow> = {}): TargetRow => ({
  name,
  state: "up",
  failure: undefined,
  lastSuccessMs: NOW - 5000,
  ...more,
});
const DOWN = {
  state: "down",
  failure: { reason: "forbidden", message: "Cannot do it: gateway answered <403>" },
} as const;
const UNKNOWN = { bought: undefined, used: undefined, balance: undefined };

test("the page of the exporter has every question to the gateway with its state and answer", () => {
  const page = exporterPage({
    queries: [query("day", { requests: 1234, pairs: [{ model: "m", app: "a", credits: 1 }] })],
    unwatched: { ...row("unwatched", DOWN), unresolvedKeys: 0, unresolvedNames: [] },
    budgetQueries: [row("week", { state: "waiting", lastSuccessMs: undefined })],
    account: {
      balance: { ...row("credits"), bought: 100.5, used: 25.75, balance: 74.75, forecast: forecast({}) },
      capabilities: row("capabilities", { warning: 'names "modle"' }),
      listings: [
        { ...row("default"), keys: 2 },
        { ...row("lab", DOWN), keys: undefined },
      ],
      queries: [{ ...row("users"), dimensions: ["user", "model"], window: "month" }],
    },
  });
  expect(markupFaults(page)).toEqual([]);
  expect(rows(page)).toEqual([
    ["Question", "State", "Answer"],
    ["Models and apps, today", "● Up 5 s ago", "1,234 requests in 1 pair"],
    ["Unwatched spend", "✕ Failing forbidden last answered 5 s ago", "Cannot do it: gateway answered <403>"],
    ["Budgets, this week", "○ Waiting not polled yet", ""],
    [
      "Balance of the account",
      "● Up 5 s ago",
      "74.75 credits 100.50 bought, 25.75 used Estimate: it lasts for more than a week.",
    ],
    ["Keys of the default workspace", "● Up 5 s ago", "2 keys"],
    [
      "Keys of workspace lab",
      "✕ Failing forbidden last answered 5 s ago",
      "Cannot do it: gateway answered <403>",
    ],
    ["Query users", "● Up 5 s ago", "by user and model, this month"],
    ["Names that queries may use", "◆ Warning 5 s ago", 'names "modle"'],
  ]);
});

test.each<[string, Partial<TargetRow>, string]>([
  ["is not reported", {}, "● Up 5 s ago The gateway does not report it."],
  ["cannot be used", { warning: "the key is not accepted" }, "◆ Warning 5 s ago the key is not accepted"],
  ["was not read yet", { state: "waiting", lastSuccessMs: undefined }, "○ Waiting not polled yet Names"],
])("a balance that %s is not 0", (_, more, words) => {
  const account = { ...ACCOUNT, balance: { ...row("credits", more), ...UNKNOWN } };
  expect(textOf(exporterPage({ account }))).toContain(`Balance of the account ${words}`);
});

test("probes have word errors, duration and cost of the last run, and the spend of the day", () => {
  const failure = { reason: "wrong_text", message: 'Probe "wrong" heard <another> text' };
  const unknown = { wordErrorRate: undefined, durationSeconds: undefined, cost: undefined };
  const page = exporterPage({
    probes: {
      rows: [
        probe("good"),
        probe("wrong", { state: "down", failure, wordErrorRate: 0.583, speedFactor: undefined }),
        probe("new", { state: "waiting", lastRunMs: undefined, skip: "paused", ...unknown }),
      ],
      spentToday: 0.42,
      ceiling: 0.5,
    },
  });
  expect(rows(page)).toEqual([
    ["Probe", "State", "Word errors", "Duration", "Cost", "Last run"],
    ["good acme/ear, key ears", "● Up", "0% at most 20%", "1.23 s 3.3× real time", "0.0004", "1 min ago"],
    [
      "wrong acme/ear, key ears",
      '✕ Failing wrong_text Probe "wrong" heard <another> text',
      "58% at most 20%",
      "1.23 s",
      "0.0004",
      "1 min ago",
    ],
    [
      "new acme/ear, key ears",
      "○ Waiting not run: the gateway asked the exporter to wait",
      "—",
      "—",
      "—",
      "not run yet",
    ],
  ]);
  expect(textOf(page)).toContain("0.42 of 0.50 credits are spent or reserved today, 84%.");
  expect(textOf(page)).toContain("no management key is configured");
});
