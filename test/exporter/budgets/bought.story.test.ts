import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../exporter/config/parse.ts";
import { seriesName } from "../../support/series.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const BUDGET = { name: "prepaid", limit: "bought", window: "total", account: true } as const;
const LIMIT = seriesName("aigateway_budget_limit_credits", { budget: "prepaid" });
const SPENT = seriesName("aigateway_budget_spent_credits", { budget: "prepaid" });
const COMPLETE = seriesName("aigateway_budget_complete", { budget: "prepaid" });

function start(missing: readonly "credits"[] = []): Promise<TestApp> {
  return startTestApp({
    analytics: true,
    gateway: () => ({ switches: { missingOperations: missing } }),
    prepare: (gateway) => {
      gateway.addKey({ name: "billing" });
      gateway.moveCredits({ kind: "purchase", micros: 100_000_000 });
      gateway.spend({ key: "billing", model: "acme/one", micros: 25_750_000, byokMicros: 9_000_000 });
    },
    content: () => ({ budgets: [BUDGET] }),
  });
}

describe("a budget whose limit is what the account has bought", () => {
  test("follows purchases and expiries without counting them as spend", async () => {
    const app = await start();
    const { gateway, clock } = app;
    const series = await app.seriesWhen((shown) => shown.get(COMPLETE) === 1);
    expect([series.get(LIMIT), series.get(SPENT)]).toEqual([100, 25.75]);
    expect([...series.keys()].filter((name) => /budget_window_(start|end)|since_/.test(name))).toEqual([]);
    gateway.moveCredits({ kind: "expiry", micros: -80_000_000 });
    await clock.advance(600_000);
    const after = await app.seriesWhen((shown) => shown.get(LIMIT) === 20);
    expect([after.get(LIMIT), after.get(SPENT)]).toEqual([20, 25.75]);
    const page = await app.page();
    expect(page).toContain("All that was bought");
    expect(page).toContain("Exceeded");
  });

  test("is unknown without the operation, not 0", async () => {
    const app = await start(["credits"]);
    const series = await app.seriesWhen((shown) =>
      shown.has(seriesName("aigateway_account_last_success_timestamp_seconds", {})),
    );
    expect([series.get(LIMIT), series.get(SPENT), series.get(COMPLETE)]).toEqual([undefined, undefined, 0]);
    expect(await app.page()).toContain("All that was bought");
  });
});

test.each<[string, object, string]>([
  ["a model", { account: undefined, model: "acme/one" }, "budgets[0].limit: bought applies to account only"],
  ["a month", { window: "month" }, "budgets[0].limit: bought applies to window total only"],
  ["a date", { since: "2026-11-01" }, "budgets[0].since: does not apply to limit bought"],
  ["0", { limit: 0 }, "budgets[0].limit: 0 is not a finite number above 0"],
])("limit bought for %s is refused", (_, change, wanted) => {
  const file = {
    gateway: { base_url: "http://127.0.0.1:1" },
    analytics: { management_key_env: "M" },
    budgets: [{ ...BUDGET, ...change }],
  };
  const parsed = parseConfig(JSON.stringify(file));
  const problems = parsed.ok ? [] : parsed.problems.map(({ path, message }) => `${path}: ${message}`);
  expect(problems.join("\n")).toContain(wanted);
});
