import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

import packageJson from "../package.json" with { type: "json" };
import { families } from "../dashboards/families.ts";
import { renderRuleFile } from "../dashboards/rules/file.ts";
import { createRules } from "../dashboards/rules/index.ts";
import { runExporter, startExporter } from "./support/exporter-process.ts";
import { ROOT } from "./support/repository.ts";
import { until } from "./support/until.ts";

/** Generous, because packages are installed and programs start slowly on a busy machine. */
const PATIENCE_MS = 300_000;
/** The dashboards are a ninth of it, the sample for probes an eleventh. */
const MAX_BYTES = 300_000;

const packed = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    files: z.array(z.object({ path: z.string(), mode: z.number() })),
  }),
]);

describe("the npm package, packed and installed into an empty folder", { timeout: PATIENCE_MS }, () => {
  let folder: string;
  let pack: z.infer<typeof packed>[0];
  let program: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "npm-package-test-"));
    npm(ROOT, "run", "--silent", "prepack");
    // Scripts are ignored, because their output would precede the JSON.
    [pack] = packed.parse(
      JSON.parse(npm(ROOT, "pack", "--json", "--ignore-scripts", `--pack-destination=${folder}`)),
    );
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    npm(folder, "install", "--no-audit", "--no-fund", join(folder, pack.filename));
    program = join(folder, "node_modules", ".bin", "aigateway-exporter");
  }, PATIENCE_MS);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is small, and contains no TypeScript source, no test, and nothing but its code", () => {
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
    const installed = lockedPackages(join(folder, "node_modules", ".package-lock.json"));
    const runtime = lockedPackages(join(ROOT, "package-lock.json"));
    expect(installed.toSorted()).toEqual([...runtime, "node_modules/aigateway-exporter"].toSorted());
  });

  test("keeps the names of functions, so that a stack trace can be read, and no comments", () => {
    const build = join(folder, "node_modules", "aigateway-exporter", "build");
    const code = ["main.js", "simulate.js"].map((name) => readFileSync(join(build, name), "utf8")).join("\n");
    const names = [...code.matchAll(/function ([$\w]+)/g)].map(([, name = ""]) => name);
    const short = names.filter((name) => name.length < 3);
    expect(names.length).toBeGreaterThan(1000);
    expect(short.length).toBeLessThan(names.length / 100);
    expect(code).not.toMatch(/^\s*(?:\/\*\*|\/\/)/m);
  });

  test("prints its version and its help, which names the simulated gateway", async () => {
    const version = `aigateway-exporter ${packageJson.version}\n`;
    expect(npm(folder, "exec", "--", "aigateway-exporter", "--version")).toBe(version);
    for (const flag of ["--help", "-h"]) {
      const help = await runExporter([flag], {}, [program]);
      expect(help).toMatchObject({ code: 0, stderr: "" });
      expect(help.stdout).toMatch(/^Prometheus exporter[^]*\n\nTo try it: aigateway-exporter simulate /);
    }
  });

  test("completes the simulated gateway", async () => {
    const { stdout } = await runExporter(["completion", "fish"], {}, [program]);
    expect(stdout).toMatch(/--arguments 'check [^']* simulate'/);
  });

  test("reports wrong use and wrong configurations as the repository does", async () => {
    expect(await runExporter(["simulte"], {}, [program])).toMatchObject({ code: 2, stdout: "" });
    const late = await runExporter(["--log.level=debug", "simulate"], {}, [program]);
    expect(late).toMatchObject({ code: 2, stderr: expect.stringContaining("must be the first argument") });
    const config = join(folder, "wrong.yaml");
    writeFileSync(config, "gateway: {}\n");
    const parameters = ["check", `--config.file=${config}`];
    const result = await runExporter(parameters, {}, [program]);
    expect(result.code).toBe(1);
    expect(result).toEqual(await runExporter(parameters));
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
    expect(await demo.ended).toEqual([0, null]);
    expect(demo.stderr()).toBe("");
  });

  test("simulates nothing over a configuration of the user", async () => {
    const directory = join(folder, "own");
    const config = join(directory, "config.yaml");
    mkdirSync(directory);
    writeFileSync(config, "keys: []\n");
    const demo = startSimulator(program, folder, "--port=0", "--dir=own");
    expect(await demo.ended).toEqual([1, null]);
    expect(demo.stderr()).toBe(
      'Cannot start the simulated gateway: "own/config.yaml" exists already: choose another folder with --dir\n',
    );
    expect(readFileSync(config, "utf8")).toBe("keys: []\n");
    expect(readdirSync(directory)).toEqual(["config.yaml"]);
  });

  test.each([
    [["--port=99999"], 'Cannot use --port "99999": expected a port from 0 to 65535'],
    [["--port=x"], 'Cannot use --port "x": expected a port from 0 to 65535'],
    [["--speed"], "Unknown option '--speed'"],
  ])("simulates nothing with %j", async (parameters, message) => {
    const demo = startSimulator(program, folder, ...parameters);
    expect(await demo.ended).toEqual([2, null]);
    expect(demo.stderr()).toContain(message);
  });

  test.each(["10.24.1", "18.20.8", "20.20.2", "22.18.0"])("refuses Node %s with one line", (version) => {
    expect(runAs(version, program, "--version")).toEqual({
      status: 1,
      stdout: "",
      stderr: `aigateway-exporter needs Node 22.19 or later, but "${process.execPath}" is Node ${version}\n`,
    });
    expect(runAs(version, program, "simulate").status).toBe(1);
  });

  test.each(["22.19.0", "24.0.0", "100.1.0"])("accepts Node %s", (version) => {
    expect(runAs(version, program, "--version")).toMatchObject({ status: 0, stderr: "" });
  });

  // Debian's Node is older than what the exporter needs.
  test.skipIf(!existsSync("/usr/bin/node") || !nodeVersion().startsWith("v20."))(
    "refuses the real Node 20 with one line",
    () => {
      const { status, stdout, stderr } = spawnSync("/usr/bin/node", [program], { encoding: "utf8" });
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toBe(
        `aigateway-exporter needs Node 22.19 or later, but "/usr/bin/node" is Node ${nodeVersion().slice(1)}\n`,
      );
    },
  );

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
    const options = { runbookBaseUrl: "https://wiki.example/aigateway", pollIntervalSeconds: 300 };
    expect(run.stdout).toBe(renderRuleFile(createRules(options)));
    expect(run.stderr).toBe(`${families.length} metric families\n`);
  });
});

/** Fails to compile if the declarations are missing and everything is of type any. */
const TYPED = `
// @ts-expect-error
const wrong: number = families[0]?.name;
// @ts-expect-error
const wrongGroup: number = rules[0]?.name;
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
  const directory = mkdtempSync(join(tmpdir(), "old-node-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const disguise = join(directory, "disguise.cjs");
  writeFileSync(disguise, code);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--require", disguise, program, ...parameters],
    { encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

function nodeVersion(): string {
  return spawnSync("/usr/bin/node", ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "";
}

function startSimulator(program: string, cwd: string, ...parameters: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [program, "simulate", ...parameters], { cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  const written = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => void (written.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (written.stderr += text));
  return { child, stdout: () => written.stdout, stderr: () => written.stderr, ended: once(child, "close") };
}

/** Runs npm with the Node of this test and returns what it prints. */
function npm(cwd: string, ...parameters: readonly string[]): string {
  return execFileSync("npm", parameters, {
    cwd,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
      // From the cache if possible: it already has the packages of this repository's lock file.
      npm_config_prefer_offline: "true",
    },
  });
}
