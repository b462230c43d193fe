import { describe, expect, test } from "vitest";
import type { AccountOverview } from "../../../../exporter/status/account-overview.ts";
import type { TargetRow } from "../../../../exporter/status/target-rows.ts";
import { key, NOW, pageOf, textOf } from "./page-reader.ts";

const row = (name: string, more: Partial<TargetRow> = {}): TargetRow => ({
  name,
  state: "up",
  failure: undefined,
  lastSuccessMs: NOW - 5000,
  ...more,
});
const DOWN = {
  state: "down",
  failure: { reason: "forbidden", message: "Cannot do it: gateway answered 403" },
} as const;
const ACCOUNT: AccountOverview = {
  balance: { ...row("credits"), bought: 100.5, used: 25.75, balance: 74.75 },
  capabilities: row("capabilities"),
  listings: [{ ...row("default"), keys: 2 }],
  queries: [{ ...row("users"), dimensions: ["user", "model"], window: "month" }],
};

const text = (change: Partial<AccountOverview>) => textOf(pageOf({ account: { ...ACCOUNT, ...change } }));
const balance = { bought: undefined, used: undefined, balance: undefined };

describe("the account on the page", () => {
  test.each<[string, Partial<AccountOverview>, string]>([
    ["the balance", {}, "Balance ● Up 5 s ago 74.75 credits 100.50 bought, 25.75 used"],
    [
      "a balance of zero",
      { balance: { ...row("credits"), bought: 1, used: 1, balance: 0 } },
      "0.00 credits 1.00 bought",
    ],
    [
      "a gateway without balance",
      { balance: { ...row("credits"), ...balance } },
      "Balance ● Up 5 s ago The gateway does not report it.",
    ],
    [
      "why the balance is not known",
      { balance: { ...row("credits", { warning: "the key is not accepted" }), ...balance } },
      "Balance ▲ Warning 5 s ago the key is not accepted",
    ],
    [
      "a balance that was not read yet",
      { balance: { ...row("credits", { state: "waiting", lastSuccessMs: undefined }), ...balance } },
      "Balance ○ Waiting not polled yet Keys of",
    ],
    ["a list", {}, "Keys of the default workspace ● Up 5 s ago 2 keys"],
    [
      "a list that fails",
      { listings: [{ ...row("default", DOWN), keys: 2 }] },
      "Keys of the default workspace ✕ Failing forbidden last answered 5 s ago 2 keys Cannot do it: gateway answered 403",
    ],
    ["a query", {}, "Query users ● Up 5 s ago by user and model, this month"],
    [
      "a name that the gateway lacks",
      { capabilities: row("capabilities", { warning: 'names "modle"' }) },
      'Names that queries may use ▲ Warning 5 s ago names "modle"',
    ],
  ])("shows %s", (_, change, wanted) => {
    expect(text(change)).toContain(wanted);
  });

  test("names failures and warnings once more above", () => {
    const shown = text({
      listings: [{ ...row("default", DOWN), keys: 2 }],
      capabilities: row("capabilities", { warning: 'names "modle"' }),
    });
    expect(shown).toContain("Needs attention List of keys, workspace default ✕ Failing forbidden");
    expect(shown).toContain('Names that queries may use ▲ Warning 5 s ago names "modle"');
  });
});

describe("listed keys on the page", () => {
  test("are marked as listed, and a disabled one as disabled, which is not used up", () => {
    const keys = [
      key("billing"),
      key("web", { isListed: true }),
      key("off", { isListed: true, isDisabled: true, remaining: 0 }),
    ];
    const shown = textOf(pageOf({ keys }));
    expect(shown).toContain("web listed, not polled ● Listed");
    expect(shown).toContain("off listed, not polled ○ Disabled");
    expect(shown).toContain("Keys up 3 of 3 1 disabled");
    expect(shown).not.toContain("Needs attention");
  });

  test("fail with their list, which is reported once", () => {
    const keys = [key("web", { isListed: true, ...DOWN }), key("docs", { isListed: true, ...DOWN })];
    const page = pageOf({ keys, account: { ...ACCOUNT, listings: [{ ...row("default", DOWN), keys: 2 }] } });
    expect(page).toContain("<title>(1 failing) AI gateway exporter</title>");
    expect(textOf(page).match(/Cannot do it/g)).toHaveLength(2);
  });
});
