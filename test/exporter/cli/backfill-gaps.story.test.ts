import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STATE_NAME } from "../../../exporter/backfill/state-file.ts";
import type { Fault } from "../../gateway/faults.ts";
import { setUp, spendSome } from "./backfill-stage.ts";

/** Requests have real connections, and a busy machine is slow. */
const PATIENCE = { timeout: 180_000 };

/** Everything that is imported, by the names of the files. */
function written(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => name !== STATE_NAME);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** The warnings that the script shows first. */
function shown(folder: string): string {
  const warnings = written(folder)["import.sh"]?.match(/^.*'warning: .*$/gm) ?? [];
  return spawnSync("sh", ["-c", warnings.join("\n")], { encoding: "utf8" }).stderr;
}

describe("a key without a usable answer is left out, and the rest is written", PATIENCE, () => {
  /** The first of two questions about usage. Before it there are three of the account and two of the other key. */
  const ofSearch = { endpoint: "analytics", skip: 5, times: 1 } as const;

  test("the gateway has deleted it", async () => {
    const { write, text, folder, gateway, configure } = await setUp({ prepare: spendSome });
    gateway.remove("search");
    const problem =
      'key "search" has no past: the gateway cannot filter by it. If it was deleted, remove it from the configuration';
    const { code, stdout, stderr } = await write();
    expect(code).toBe(1);
    expect(stderr).toContain(`warning: ${problem}\n`);
    expect(stdout).toContain("They are incomplete:\n");
    expect(stdout).toContain(`\n- ${problem}\nSolve this and run the same command again before the import`);
    expect(stdout).toContain("\nImport them ");
    expect(shown(folder)).toContain(`warning: ${problem}\n`);
    expect(text("2026-11-17")).toContain('key="billing"');
    expect(text("2026-11-17")).not.toContain('key="search"');

    configure({ keys: [{ name: "billing", api_key_env: "KEY_0" }] });
    const again = await write();
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining("search")]);
    expect(again.stdout).not.toContain("incomplete");
    expect(written(folder)["import.sh"]).not.toContain("search");
  });

  test.each<[string, Fault, RegExp]>([
    [
      "a refusal of the question",
      { ...ofSearch, kind: "status", status: 400, message: String.raw`it's no \client` },
      /^warning: key "search" has no past: Cannot query the past of "search": gateway answered 400: it's no \\client$/m,
    ],
    [
      "a refusal of its secret",
      { endpoint: "key", key: "search", kind: "status", status: 401 },
      /^warning: Cannot read key "search": gateway answered 401.*, so its all-time usage has no past$/m,
    ],
  ])("%s, and the next run adds it", async (_, fault, warning) => {
    const whole = await setUp({ prepare: spendSome });
    await whole.write();
    const { write, folder, gateway } = await setUp({ prepare: spendSome });
    gateway.faults.add(fault);
    const { code, stdout, stderr } = await write();
    expect([code, stderr]).toEqual([1, expect.stringMatching(warning)]);
    expect(stdout).toContain("They are incomplete:\n");
    expect(shown(folder)).toMatch(warning);
    gateway.faults.clear();
    const again = await write();
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining("search")]);
    expect(written(folder)).toEqual(written(whole.folder));
  });
});

test("a run that continues repeats the warning about BYOK of the earlier answers", PATIENCE, async () => {
  const missingMetrics = ["credits_usage", "byok_usage"];
  const { write } = await setUp({ prepare: spendSome, options: { switches: { missingMetrics } } });
  const warning = expect.stringContaining("warning: the credits may contain usage");
  expect(await write()).toMatchObject({ code: 0, stderr: warning });
  expect(await write()).toMatchObject({ code: 0, stderr: warning });
});
