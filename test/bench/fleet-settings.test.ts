import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { OPTIONS, readSettings } from "../../bench/alerts/settings.ts";
import { ROOT } from "../support/repository.ts";

const run = (...options: readonly string[]) => {
  const program = join(ROOT, "bench", "alerts", "main.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...options], { encoding: "utf8" });
  return { status, stdout, stderr };
};

describe("npm run rules:fleet -- --help", () => {
  const { status, stdout, stderr } = run("--help");

  test("succeeds", () => {
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each(Object.entries(OPTIONS))("lists --%s, with its default", (name, option) => {
    const line = stdout.split("\n").find((each) => each.startsWith(`  --${name} `));
    // A switch has no value, and an empty default has a word of its own, such as "all".
    expect(line).toContain(
      option.default === false ? " " : option.default === "" ? "(" : `(${option.default})`,
    );
  });
});

test.each([
  [["--seed", "11"], "Unknown option '--seed'"],
  [["11"], "Unexpected argument '11'"],
  [["--keys", "0"], 'Cannot read --keys: "0" is not a whole number of at least 1'],
  [["--seeds", "1,,2"], 'Cannot read --seeds: "" is not a whole number of at least 0'],
  [["--fleet", "models"], 'Cannot run --fleet "models": it is one of keys, accounts, anomalies, budgets'],
  [["--fleet", "budgets", "--clauses"], "Cannot run --fleet budgets by the twin or with an oracle"],
])("%j ends with the hint to run with --help", (options, problem) => {
  const { status, stdout, stderr } = run(...options);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/\nRun with --help to see the options\n$/);
  expect(stderr.startsWith(problem)).toBe(true);
});

test("readSettings accepts the commands of docs/alert-benchmark.md", () => {
  const text = readFileSync(join(ROOT, "docs", "alert-benchmark.md"), "utf8");
  const commands = [...text.matchAll(/^npm run rules:fleet -- ([^#\n]+)/gm)].map(([, options = ""]) =>
    options.trim().replaceAll("'", "").split(/ +/),
  );
  expect(commands.length).toBeGreaterThan(5);
  for (const options of commands) expect(readSettings(options).seeds).not.toEqual([]);
});
