import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemFiles } from "../../exporter/config/files.ts";
import { loadConfig, type LoadResult } from "../../exporter/config/load.ts";
import { longestTurn } from "../support/longest-turn.ts";

/**
 * Only the operator writes the file, but a scrape must be answered within a second during a reload: a hundred times
 * what parsing a body of 2 MiB takes.
 */
const BAR = 100;
/** A hundred, and how many more there are. */
const MOST_PROBLEMS = 101;
const MB = 1_000_000;
const GATEWAY = "gateway: {base_url: 'http://127.0.0.1:1/api/v1'}\n";

test("10,000 keys are loaded in pieces", async () => {
  const keys = many(
    10_000,
    (index) => `- {name: key-${index}, api_key_file: key, owner: {team: a, project: b, cost_center: c}}\n`,
  );
  const { result, turn } = await loaded(`${GATEWAY}keys:\n${keys}`);
  expect(result.ok ? result.config.keys.length : result.problems).toBe(10_000);
  expect(turn).toBeLessThan(BAR);
});

const HOSTILE: Readonly<Record<string, string>> = {
  "100,000 wrong entries": `keys: [${"{name: X, nonsense: 1},".repeat(100_000)}]`,
  "as many wrong entries as are read": `keys: [${"{name: X, nonsense: 1},".repeat(26_000)}]`,
  "as many wrong values as are read": `keys: [${"1,".repeat(79_000)}]`,
  "a million wrong values": `keys: [${"1,".repeat(1_000_000)}]`,
  "wrong members of a budget": `budgets: [{name: b, limit: 1, window: month, keys: [${many(79_000, (index) => `k${index},`)}]}]`,
  "equal names": `keys: [${"{name: a, api_key_file: key},".repeat(20_000)}]`,
  "unknown fields": many(100_000, (index) => `f${index}: 1\n`),
  "as many unknown fields as are read": many(70_000, (index) => `f${index}: 1\n`),
  "a field 70,000 times": "f: 1\n".repeat(70_000),
  "faults in each line": '"\\q" : @x\n'.repeat(80_000),
  "characters that begin no text": `a:\n${"@\n".repeat(160_000)}`,
  "brackets that close nothing": `a: ${"}".repeat(490_000)}`,
  "commas between nothing": `a: [${",".repeat(490_000)}]`,
  "tabs as indentation": "\t- x\n".repeat(100_000),
  "invalid directives": "%A b\n".repeat(100_000),
  "a million opening brackets": "[".repeat(1_000_000),
  "lists nested 10,000 deep": `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
  "blocks nested 100,000 deep": "- ".repeat(100_000),
  "anchors with aliases": `b: [${many(20_000, (index) => `&a${index} x,*a${index},`)}]`,
  "as many aliases as are resolved": `a: &a x\nb: [${"*a,".repeat(5990)}]`,
  "aliases without anchors": `b: [${many(100_000, (index) => `*a${index},`)}]`,
  "a large mapping 5,900 times": `b: &b {${many(5000, (index) => `f${index}: 1,`)}}\nkeys: [${"*b,".repeat(5900)}]`,
  "nested aliases": many(30, (level) => `a${level}: &a${level} [${`*a${level - 1},`.repeat(9)}]\n`),
  "merged mappings": many(3000, (index) => `a${index + 1}: &a${index + 1} {<<: *a${index}, k${index}: 1}\n`),
  "a text of 10 MB": `keys: ${"x".repeat(10 * MB)}`,
  "a text of 4 MB": `keys: ${"x".repeat(4 * MB)}`,
  "4 MB of escapes": `keys: "${"\\x41".repeat(MB)}"`,
  "4 MB of line ends": "\n".repeat(4 * MB),
  "4 MB of comments": "#\n".repeat(2 * MB),
  "4 MB of white space": " ".repeat(4 * MB),
  "4 MB of colons": "a:".repeat(2 * MB),
  "a text of a million lines": `a: |\n${"  x\n".repeat(MB)}`,
  "100,000 documents": "---\n".repeat(100_000),
};

test.each(Object.entries(HOSTILE))("%s: refused without a stall", async (_, text) => {
  const { result, turn } = await loaded(text);
  expect(result.ok).toBe(false);
  expect(result.ok ? 0 : result.problems.length).toBeLessThanOrEqual(MOST_PROBLEMS);
  expect(turn).toBeLessThan(BAR);
});

async function loaded(text: string): Promise<{ readonly result: LoadResult; readonly turn: number }> {
  const folder = mkdtempSync(join(tmpdir(), "configuration-stalls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "config.yaml");
  writeFileSync(path, text);
  writeFileSync(join(folder, "key"), "sk-key");
  const results: LoadResult[] = [];
  const turn = await longestTurn(async () => {
    results.push(await loadConfig({ ...systemFiles, path, env: {} }));
  });
  const [result] = results;
  if (!result) throw new Error("Cannot load the configuration");
  return { result, turn };
}

function many(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("");
}
