import { execFileSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, join } from "node:path";

import { describe, expect, test } from "vitest";

/** A program that tests use and `npm ci` does not install. */
export type ToolName = keyof typeof TOOLS;

interface Tool {
  /** The first existing candidate is used: a name is searched on PATH, a path in the tools folder. */
  readonly candidates: readonly string[];
  /** Required major version, if other versions behave differently. */
  readonly major?: number;
  readonly install: string;
}

const BUILD = "scripts/install-test-tools";

const TOOLS = {
  prometheus2: { candidates: ["prometheus"], major: 2, install: "apt-get install prometheus" },
  promtool2: { candidates: ["promtool"], major: 2, install: "apt-get install prometheus" },
  prometheus3: { candidates: ["prometheus3/prometheus", "prometheus"], major: 3, install: BUILD },
  promtool3: { candidates: ["prometheus3/promtool", "promtool"], major: 3, install: BUILD },
  alertmanager: {
    candidates: ["prometheus-alertmanager", "alertmanager"],
    install: "apt-get install prometheus-alertmanager",
  },
  amtool: { candidates: ["amtool"], install: "apt-get install prometheus-alertmanager" },
  chromium: { candidates: ["chromium", "chromium-browser"], install: "apt-get install chromium" },
  pulumi: { candidates: ["pulumi"], install: BUILD },
  pulumiKubernetes: { candidates: ["pulumi-resource-kubernetes"], install: BUILD },
  etcd: { candidates: ["etcd"], install: BUILD },
  kubeApiserver: { candidates: ["kube-apiserver"], install: BUILD },
  kubeControllerManager: { candidates: ["kube-controller-manager"], install: BUILD },
  helm: { candidates: ["helm"], install: BUILD },
  kubectl: { candidates: ["kubectl"], install: BUILD },
  systemdAnalyze: { candidates: ["systemd-analyze"], install: "apt-get install systemd" },
  alertsim: { candidates: ["alertsim"], install: BUILD },
  go: { candidates: ["go"], install: "https://go.dev/dl" },
  openrouterClient: { candidates: ["openrouter-client/bin/python"], install: BUILD },
  composeGo: { candidates: ["compose-go"], install: BUILD },
  victoriaMetrics: { candidates: ["victoria-metrics"], install: "apt-get install victoria-metrics" },
  vmalert: { candidates: ["vmalert"], install: "apt-get install victoria-metrics" },
  bash: { candidates: ["bash"], install: "apt-get install bash" },
} as const satisfies Record<string, Tool>;

/**
 * `describe` for tests that need tools; `define` receives their paths. When one is missing the tests are skipped with a line
 * that names the tool and how to install it; with `E2E_REQUIRED=1` a missing tool fails a test instead.
 */
export function describeWithTools<Name extends ToolName>(
  names: readonly Name[],
  title: string,
  define: (paths: Record<Name, string>) => void,
): void {
  const missing = names.filter((name) => toolPath(name) === undefined).map(absence);
  const policy = toolPolicy(missing, process.env["E2E_REQUIRED"]);
  if (policy === "skip") {
    for (const text of missing) process.stderr.write(`Skipped "${title}": ${text}\n`);
  }
  const refuse = (): void =>
    test("finds the tools that E2E_REQUIRED=1 demands", () => expect(missing).toEqual([]));
  describe.skipIf(policy === "skip")(`${title} (${names.join(", ")})`, () =>
    policy === "fail" ? refuse() : define(paths(names)),
  );
}

/** The policy for tests with missing tools; `required` is the value of `E2E_REQUIRED`. */
export function toolPolicy(
  missing: readonly string[],
  required: string | undefined,
): "run" | "skip" | "fail" {
  if (missing.length === 0) return "run";
  return required === "1" ? "fail" : "skip";
}

/** The path of a tool, or undefined if it is not installed. */
export function toolPath(name: ToolName): string | undefined {
  if (!found.has(name)) found.set(name, findTool(name));
  return found.get(name);
}

/** The folder that `scripts/install-test-tools` fills. */
export function toolsDirectory(): string {
  return process.env["E2E_TOOLS"] || join(homedir(), ".cache", "aigateway-exporter", "tools");
}

/** The version that `--version` prints, as [major, minor]; undefined when it prints none. */
export function versionOf(path: string): readonly [major: number, minor: number] | undefined {
  const text = execFileSync(path, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const match = /version v?(\d+)\.(\d+)/.exec(text);
  return match ? [Number(match[1]), Number(match[2])] : undefined;
}

const found = new Map<ToolName, string | undefined>();

function findTool(name: ToolName): string | undefined {
  const tool: Tool = TOOLS[name];
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return tool.candidates
    .flatMap((candidate) => [
      join(toolsDirectory(), candidate),
      ...(candidate.includes("/") ? [] : folders.map((folder) => join(folder, candidate))),
    ])
    .find((path) => isExecutable(path) && (tool.major === undefined || versionOf(path)?.[0] === tool.major));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function absence(name: ToolName): string {
  const { candidates, major, install }: Tool = TOOLS[name];
  const wanted = `${basename(candidates[0] ?? name)}${major === undefined ? "" : ` ${major}.x`}`;
  return `needs ${wanted} on PATH or in the folder E2E_TOOLS, such as by "${install}"`;
}

function paths<Name extends ToolName>(names: readonly Name[]): Record<Name, string> {
  const entries: Partial<Record<ToolName, string>> = {};
  // A skipped suite is still collected, so it gets an unused path.
  for (const name of names) entries[name] = toolPath(name) ?? name;
  return hasAll(entries, names) ? entries : unreachable();
}

function hasAll<Name extends ToolName>(
  entries: Partial<Record<ToolName, string>>,
  names: readonly Name[],
): entries is Record<Name, string> {
  return names.every((name) => entries[name] !== undefined);
}

function unreachable(): never {
  throw new Error("Cannot find a path that was just set");
}
