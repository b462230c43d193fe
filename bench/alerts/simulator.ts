import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** What a fleet consists of: keys or accounts that run out of credits, keys whose spend misbehaves, or budgets. */
export type FleetKind = "keys" | "accounts" | "anomalies" | "budgets";

/** A simulated fleet and the rule files that are compared on it. */
export interface Fleet {
  readonly kind: FleetKind;
  /** Rule files by the name of their column in the report. */
  readonly rules: Readonly<Record<string, string>>;
  /** Besides the files: our rules on keys, computed without Prometheus' engine and a hundred times as fast. */
  readonly twin?: Twin;
  /** Besides them: an oracle for each of these comma separated prices of a false alert. */
  readonly oracle?: string;
  readonly keys: number;
  readonly days: number;
  readonly seed: number;
  /** A regular expression: only keys of classes that match it. Default: all. */
  readonly classes?: string;
  /** Keep the samples in a real TSDB instead of in memory. */
  readonly tsdb?: boolean;
}

export interface Twin {
  /** A JSON file with the thresholds of `dashboards/thresholds.ts`. */
  readonly thresholds: string;
  /** A clause that is left out; `each`: the complete rules, then the rules without each clause. */
  readonly without?: string;
}

/**
 * Builds the simulator beside this file into the folder of the tools and returns its path. Throws if Go is
 * missing or the build fails.
 */
export function buildSimulator(): string {
  const program = join(toolsDirectory(), "alertsim");
  const { status, error } = spawnSync("go", ["build", "-trimpath", "-tags", "netgo", "-o", program, "."], {
    cwd: import.meta.dirname,
    env: { ...process.env, CGO_ENABLED: "0" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) {
    throw new Error(`Cannot build the simulator: ${error?.message ?? `exit code ${status}`}`);
  }
  return program;
}

/** Runs the rule files over the fleet and returns the simulator's report. Fails if the simulator does. */
export async function simulateFleet(program: string, fleet: Fleet): Promise<string> {
  return run(program, parametersOf(fleet));
}

/** One key of a fleet, and the time of which its timeline is printed: `2026-03-18T09:00`. */
export interface Replay {
  readonly rules: string;
  readonly keys: number;
  readonly days: number;
  readonly seed: number;
  readonly key: number;
  readonly from: string;
  readonly to: string;
}

/** Returns the timeline of a key under a rule file: a row for every quarter of an hour and every event. */
export async function replayKey(program: string, replay: Replay): Promise<string> {
  const { rules, keys, days, seed, key, from, to } = replay;
  const numbers = ["-keys", `${keys}`, "-days", `${days}`, "-seed", `${seed}`, "-key", `${key}`];
  return run(program, ["-rules", `ours=${rules}`, ...numbers, "-v", "-from", from, "-to", to]);
}

async function run(program: string, parameters: readonly string[]): Promise<string> {
  const child = spawn(program, parameters, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { GOMEMLIMIT: "6000MiB", ...process.env },
  });
  // Together, so that a failed start rejects here.
  const [report] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (child.exitCode !== 0) {
    const end =
      child.signalCode === null ? `exit code ${child.exitCode}` : `ended by signal ${child.signalCode}`;
    const errors = report.split("\n").filter((line) => line.startsWith("RULE ERROR"));
    throw new Error([`Cannot run the fleet with "${program}": ${end}`, ...errors].join("\n"));
  }
  return report;
}

/** The simulator's parameters. Rules are evaluated every two minutes, at half the cost of every minute. */
function parametersOf({
  kind,
  rules,
  twin,
  oracle = "",
  keys,
  days,
  seed,
  classes = "",
  tsdb = false,
}: Fleet): readonly string[] {
  const files = Object.entries(rules).map(([name, file]) => `${name}=${file}`);
  const numbers = ["-keys", `${keys}`, "-days", `${days}`, "-seed", `${seed}`, "-step", "2"];
  const ours = twin === undefined ? [] : ["-twin", twin.thresholds, "-without", twin.without ?? ""];
  return [
    "-rules",
    files.join(","),
    ...ours,
    "-oracle",
    oracle,
    ...numbers,
    "-class",
    classes,
    "-fleet",
    kind,
    ...(tsdb ? ["-tsdb"] : []),
    // Budgets of a month are judged over whole months.
    ...(kind === "budgets" ? ["-start", "2026-04-01"] : []),
  ];
}

/** The same folder that the tests take their tools from. */
function toolsDirectory(): string {
  return process.env["E2E_TOOLS"] || join(homedir(), ".cache", "aigateway-exporter", "tools");
}
