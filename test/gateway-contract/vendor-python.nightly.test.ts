import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { ROOT } from "../support/repository.ts";
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
      const { stdout } = await promisify(execFile)(openrouterClient, [
        join(import.meta.dirname, "vendor-client.py"),
        gateway.url,
        gateway.managementToken,
        gateway.tokens.get(first) ?? "",
        gateway.addKey({ name: "ears" }),
        gateway.world.key(first).workspace.id,
        join(ROOT, "exporter/probes/sample/sample.mp3"),
      ]).catch((error: { stdout: string }) => error);
      expect(stdout.trim().split("\n")).toEqual([
        "current key: GetCurrentKeyResponse",
        "keys: ListResponse",
        "credits: GetCreditsResponse",
        "meta: GetAnalyticsMetaResponse",
        "query: QueryAnalyticsResponse",
        "workspaces: ListWorkspacesResponse",
        "workspace budgets: ListWorkspaceBudgetsResponse",
        "transcription: Transcription",
        "verbose transcription: TranscriptionVerbose",
      ]);
    } finally {
      await gateway.stop();
    }
  });
});

const BUDGET_ID = "00000000-0000-4000-8000-00000000000b";
