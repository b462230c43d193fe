import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ROOT } from "../support/repository.ts";
import { blockLines, inlineCode, pages } from "./pages.ts";
import { calledCommand } from "../exporter/cli/terminal-double.ts";

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));

const COMMANDS = ["check", "healthcheck", "probe", "report", "backfill", "rules", "dashboards"];

/** The paths that the exporter serves. */
const SERVED = [
  "",
  "/",
  "/metrics",
  "/-/healthy",
  "/-/ready",
  "/-/reload",
  "/api/v1/status",
  "/account",
  "/models",
  "/apps",
];

const current = pages.filter(({ path }) => path !== "CHANGELOG.md");

describe.each(current)("$path", ({ text }) => {
  const commands = [...blockLines(text, "", "sh", "console"), ...inlineCode(text)];

  test("has commands of the exporter that it accepts", async () => {
    const problems = await Promise.all(commands.flatMap(exporterArguments).map(problemOf));
    expect(problems.filter((problem) => problem !== "")).toEqual([]);
  });

  test("runs npm scripts that exist", () => {
    const names = commands.flatMap((line) =>
      [...line.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = ""]) => name),
    );
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test("requests paths that the exporter serves", () => {
    const paths = commands.flatMap((line) =>
      [...line.matchAll(/(?:localhost|127\.0\.0\.1):9853(?!:)([^\s"'`?;|)]*)/g)].map(([, path = ""]) => path),
    );
    expect(paths.filter((path) => !SERVED.includes(path))).toEqual([]);
  });
});

test("commands are recognized", async () => {
  expect(exporterArguments("npx aigateway-exporter check --online | head # see")).toEqual([
    ["check", "--online"],
  ]);
  expect(exporterArguments("helm install aigateway-exporter charts/x")).toEqual([]);
  expect(exporterArguments("aigateway-exporter rules --output=FOLDER > x")).toEqual([
    ["rules", "--output=FOLDER"],
  ]);
  expect(await problemOf(["check", "--onlin"])).toMatch(/onlin/);
});

/**
 * The arguments of each call of the exporter in a line of a shell. It leaves out calls of `simulate`, which
 * the test of the npm package runs, and bare names of commands, as in a sentence.
 */
function exporterArguments(line: string): readonly (readonly string[])[] {
  return line
    .replace(/^\$ /, "")
    .replace(/^(?:[\d*]+ ){4}[\d*]+ +/, "")
    .split(/\s(?:\||&&|;|>|#)(?:\s|$)/)
    .map((command) => command.trim().split(/\s+/))
    .map((words) => (words[0] === "npx" ? words.slice(1) : words))
    .filter(([program]) => program === "aigateway-exporter")
    .map((words) => words.slice(1))
    .filter((words) => words.length > 1 || !COMMANDS.includes(words[0] ?? ""))
    .filter((words) => words[0] !== "simulate" && !words.some((word) => /^[[…]/.test(word)));
}

async function problemOf(words: readonly string[]): Promise<string> {
  const { code, stderr } = await calledCommand(words);
  return code === 0 ? "" : `${words.join(" ")}: ${stderr}`;
}
