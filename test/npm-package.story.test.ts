import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

import packageJson from "../package.json" with { type: "json" };
import { families } from "../dashboards/families.ts";
import { renderRuleFile } from "../dashboards/rules/file.ts";
import { createRules } from "../dashboards/rules/index.ts";
import { launch } from "./support/child.ts";
import { runExporter, startExporter } from "./support/exporter-process.ts";
import { installPackage, type InstalledPackage, npm } from "./support/installed-package.ts";
import { ROOT } from "./support/repository.ts";
import { until } from "./support/until.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/** Generous, because packages are installed and programs start slowly on a busy machine. */
const PATIENCE_MS = 300_000;
/** The dashboards are a ninth of it, the sample for probes an eleventh. */
const MAX_BYTES = 300_000;

describe("the npm package, packed and installed into an empty folder", { timeout: PATIENCE_MS }, () => {
  let folder: string;
  let installed: InstalledPackage;
  let program: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "npm-package-test-"));
    installed = installPackage(folder);
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    symlinkSync(join(installed.prefix, "lib", "node_modules"), join(folder, "node_modules"));
    program = join(installed.prefix, "bin", "aigateway-exporter");
  }, PATIENCE_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(["ExecStart", "ExecStartPost"])(
    "has the file that %s of the systemd unit names",
    async (line) => {
      const unit = readFileSync(join(ROOT, "examples", "systemd", "aigateway-exporter.service"), "utf8");
      const [, command = ""] = new RegExp(`^${line}=/usr/bin/node (.+)$`, "m").exec(unit) ?? [];
      const words = installed.here(command).split(" ");
      const before = words.slice(0, words.findIndex((word) => word.endsWith(".js")) + 1);
      expect(await runExporter(["--version"], {}, before)).toMatchObject({ code: 0, stderr: "" });
    },
  );

  test("is small, and contains no TypeScript source, no test, and nothing but its code", () => {
    const { pack } = installed;
    expect(pack.size).toBeLessThanOrEqual(MAX_BYTES);
    const others = pack.files.map(({ path }) => path).filter((path) => !path.startsWith("build/"));
    expect(others.toSorted()).toEqual(["LICENSE", "README.md", "package.json"]);
    const odd = pack.files.filter(({ path }) => /(?<!\.d)\.ts$|\.test\.|\.map$|(?:^|\/)test\//.test(path));
    expect(odd).toEqual([]);
    // Only the command is executable.
    expect(pack.files.filter(({ mode }) => mode !== 0o644).map(({ path }) => path)).toEqual([
      packageJson.bin["aigateway-exporter"],
    ]);
  });

  test("installs the packages that the lock file of the repository has, without development packages", () => {
    const own = join(installed.prefix, "lib", "node_modules", "aigateway-exporter");
    const paths = npm(folder, "ls", "--global", "--all", "--parseable", `--prefix=${installed.prefix}`);
    const found = paths
      .split("\n")
      .flatMap((path) => (path.startsWith(`${own}/`) ? relative(own, path) : []));
    expect(found.toSorted()).toEqual(lockedPackages(join(ROOT, "package-lock.json")).toSorted());
  });

  test("prints its version and its help, which names the simulated gateway", async () => {
    const version = `aigateway-exporter ${packageJson.version}\n`;
    expect((await runExporter(["--version"], {}, [program])).stdout).toBe(version);
    for (const flag of ["--help", "-h"]) {
      const help = await runExporter([flag], {}, [program]);
      expect(help).toMatchObject({ code: 0, stderr: "" });
      expect(help.stdout).toMatch(
        /^Usage: aigateway-exporter[^]*\n\nTo try it: aigateway-exporter simulate /,
      );
    }
  });

  test("simulates a gateway, with a configuration that the exporter checks and polls", async () => {
    const demo = startSimulator(program, folder, "--port=0");
    const welcome = await until("the gateway", demo.stdout, (text) => text.includes("Ctrl-C"));
    const [, config = ""] = /--config\.file=(\S+)/.exec(welcome) ?? [];
    const flag = `--config.file=${join(folder, config)}`;
    const checked = await runExporter(["check", flag], {}, [program]);
    expect(checked).toMatchObject({ code: 0, stderr: "" });
    expect(checked.stdout).toContain("config.yaml: is valid: 17 keys, analytics, 3 budgets, 2 probes\n");
    const exporter = await startExporter([flag], {}, [program]);
    onTestFinished(async () => void (await exporter.stop()));
    const metrics = await until(
      "figures of keys, models and budgets",
      async () => (await fetch(`${exporter.url}/metrics`)).text(),
      (text) =>
        ["key_usage_credits", "usage_month_credits", "budget_spent_credits"].every((name) =>
          text.includes(`\naigateway_${name}{`),
        ),
    );
    expect(metrics).toMatch(/^aigateway_exporter_build_info\{.*version="\d+\.\d+\.\d+"/m);
    expect((await fetch(exporter.url)).status).toBe(200);
    expect(welcome + exporter.log()).not.toContain("sk-sim");
    demo.child.kill("SIGINT");
    expect(await demo.ended).toBe(0);
    expect(demo.stderr()).toBe("");
  });

  test.each([
    [["--port=x"], 'Cannot use --port "x": expected a port from 0 to 65535'],
    [["--speed"], "Unknown option '--speed'"],
  ])("simulates nothing with %j", async (parameters, message) => {
    const demo = startSimulator(program, folder, ...parameters);
    expect(await demo.ended).toBe(2);
    expect(demo.stderr()).toContain(message);
  });

  test.each(["22.18.0"])("refuses Node %s with one line", (version) => {
    expect(runAs(version, program, "--version")).toEqual({
      status: 1,
      stdout: "",
      stderr: `aigateway-exporter needs Node 22.19 or later, but "${process.execPath}" is Node ${version}\n`,
    });
    expect(runAs(version, program, "simulate").status).toBe(1);
  });

  test("offers rules and families to programs, with types, as docs/install.md shows", () => {
    const [, documented = ""] =
      /```ts\n([^]*?)```/.exec(readFileSync(join(ROOT, "docs", "install.md"), "utf8")) ?? [];
    writeFileSync(join(folder, "program.ts"), `${documented}${TYPED}`);
    const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const flags = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2024", "--types", "node"];
    const types = ["--typeRoots", join(ROOT, "node_modules", "@types")];
    const compiled = spawnSync(process.execPath, [compiler, ...flags, ...types, "program.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(compiled).toMatchObject({ status: 0, stdout: "" });
    const run = spawnSync(process.execPath, ["program.ts"], { cwd: folder, encoding: "utf8" });
    const options = { runbookBaseUrl: "https://wiki.example/aigateway" };
    expect(run.stdout).toBe(renderRuleFile(createRules(options)));
    expect(run.stderr).toBe(`${families.length} metric families\n`);
  });
});

/** Fails to compile if the declarations are missing and everything is of type any. */
const TYPED = `
// @ts-expect-error
const wrong: number = families[0]?.name;
// @ts-expect-error
const wrongGroup: number = createRules()[0]?.name;
`;

/** Paths of the packages that are not for development. */
function lockedPackages(path: string): readonly string[] {
  const { packages } = z
    .object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) })
    .parse(JSON.parse(readFileSync(path, "utf8")));
  return Object.entries(packages).flatMap(([name, { dev }]) => (dev || name === "" ? [] : name));
}

/** Runs a program with a Node that reports another version. */
function runAs(version: string, program: string, ...parameters: readonly string[]) {
  const code = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const directory = temporaryFolder();
  const disguise = join(directory, "disguise.cjs");
  writeFileSync(disguise, code);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--require", disguise, program, ...parameters],
    { encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

function startSimulator(program: string, directory: string, ...parameters: readonly string[]) {
  const simulator = launch(process.execPath, [program, "simulate", ...parameters], { directory });
  onTestFinished(() => void simulator.child.kill("SIGKILL"));
  return simulator;
}
