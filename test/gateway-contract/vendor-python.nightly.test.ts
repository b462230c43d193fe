import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { describeWithTools } from "../support/tools.ts";

// The newest published client of the vendor validates every answer strictly (vendor-2026-10, 6).

describeWithTools(["openrouterClient"], "the vendor's client of October 2026", ({ openrouterClient }) => {
  test("accepts every answer of the simulated gateway, budgets and expired keys included", async () => {
    const gateway = createGateway({
      keys: 12,
      historyDays: 10,
      switches: { extraKeyFields: true, keyBudgets: true, expiredKeys: "on_demand", rangeLimits: true },
    });
    const [first = "", second = ""] = gateway.tokens.keys();
    for (const [scope, keys, reset] of [
      ["workspace", [first, second], "monthly"],
      ["member", [first, second], "weekly"],
      ["api_key", [first], null],
    ] as const)
      gateway.setBudget({ scope, keys, id: BUDGET_ID, micros: 5_000_000, reset });
    await gateway.start();
    try {
      const script = join(import.meta.dirname, "vendor-client.py");
      const secrets = [gateway.managementToken, gateway.tokens.get(first) ?? ""];
      const { stdout } = await promisify(execFile)(openrouterClient, [script, gateway.url, ...secrets]);
      expect(stdout.trim().split("\n")).toEqual([
        "current key: GetCurrentKeyResponse",
        "keys: ListResponse",
        "credits: GetCreditsResponse",
        "meta: GetAnalyticsMetaResponse",
        "query: QueryAnalyticsResponse",
      ]);
    } finally {
      await gateway.stop();
    }
  });
});

const BUDGET_ID = "00000000-0000-4000-8000-00000000000b";
