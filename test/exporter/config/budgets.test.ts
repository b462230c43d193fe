import { describe, expect, test } from "vitest";
import { parseUtcDate } from "../../../exporter/config/budgets/schema.ts";
import { loadText } from "../secrets/simulated-files.ts";

const FILE = `
gateway: { base_url: https://gateway.example/api/v1 }
keys:
  - { name: billing, api_key_file: /k/billing, owner: { team: payments, project: invoices } }
  - { name: refunds, api_key_file: /k/refunds, owner: { team: payments, cost_center: "4711" } }
keys_dir: /k/more
analytics: { management_key_file: /k/management }
`;

const files = {
  "/k/billing": "sk-one",
  "/k/refunds": "sk-two",
  "/k/management": "sk-three",
  "/k/more/chat": "sk-four",
};

async function budget(entry: string) {
  const result = await loadText(`${FILE}budgets: [{ name: a, limit: 12.5, ${entry} }]\n`, { files });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.config.budgets[0];
}

describe("loadConfig reads a budget that covers", () => {
  test.each([
    ["all keys, including those of the folder", "keys: all", ["billing", "refunds", "chat"], ""],
    ["named keys, in their order", "keys: [chat, billing]", ["chat", "billing"], ""],
    [
      "the keys of a team, which owns the budget",
      "keys: {team: payments}",
      ["billing", "refunds"],
      "payments",
    ],
    [
      "the keys of a team and a project",
      "keys: {team: payments, project: invoices}",
      ["billing"],
      "payments",
    ],
    [
      "the keys of a cost center, owned by a team",
      'keys: {cost_center: "4711"}, team: it',
      ["refunds"],
      "it",
    ],
    ["the keys of a team, owned by no team", 'keys: {team: payments}, team: ""', ["billing", "refunds"], ""],
  ])("%s", async (_, entry, names, team) => {
    expect(await budget(`window: week, ${entry}`)).toEqual({
      name: "a",
      limit: 12.5,
      period: { kind: "week" },
      scope: { kind: "keys", names },
      team,
    });
  });

  test.each([
    ["a model", "model: acme/one", { kind: "model", label: "acme/one" }],
    ["an app", "app: 'He said \"hi\"'", { kind: "app", label: 'He said "hi"' }],
    ["the account", "account: true", { kind: "account" }],
  ])("%s since a date", async (_, entry, scope) => {
    expect(await budget(`window: total, since: 2026-11-01T08:30:00Z, ${entry}`)).toEqual({
      name: "a",
      limit: 12.5,
      period: { kind: "total", sinceMs: Date.UTC(2026, 10, 1, 8, 30) },
      scope,
      team: "",
    });
  });
});

describe("parseUtcDate", () => {
  test.each([
    ["2026-11-01", Date.UTC(2026, 10, 1)],
    ["2026-11-01T08:30Z", Date.UTC(2026, 10, 1, 8, 30)],
    ["2026-11-01T08:30:15Z", Date.UTC(2026, 10, 1, 8, 30, 15)],
  ])("reads %s", (text, ms) => {
    expect(parseUtcDate(text)).toBe(ms);
  });

  test.each([
    "",
    "2026-11",
    "2026-02-29",
    "2026-11-01T24:00Z",
    "2026-11-01T08:30",
    "2026-11-01 08:30Z",
    "1969-12-31",
  ])("refuses %j", (text) => {
    expect(parseUtcDate(text)).toBeUndefined();
  });
});
