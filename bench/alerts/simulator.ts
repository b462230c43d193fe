import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** A simulated fleet and the rule files that are compared on it. */
export interface Fleet {
  /** Rule files by the name of their column in the report. */
  readonly rules: Readonly<Record<string, string>>;
  readonly keys: number;
  readonly days: number;
  readonly seed: number;
  /** A regular expression: only keys of classes that match it. Default: all. */
  readonly classes?: string;
  /** The fleet of spend anomalies instead of that of exhausted credits. */
  readonly anomalies?: boolean;
}

/** Builds the simulator beside this file into the folder of the tools and returns its path. Throws if Go is missing or the build fails. */
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
  const child = spawn(program, parametersOf(fleet), {
    stdio: ["ignore", "pipe", "inherit"],
    env: { GOMEMLIMIT: "6000MiB", ...process.env },
  });
  const closed = once(child, "close");
  const report = await text(child.stdout);
  await closed;
  if (child.exitCode !== 0) {
    throw new Error(`Cannot run the fleet with "${program}": exit code ${child.exitCode}`);
  }
  return report;
}

/** The simulator's parameters. Rules are evaluated every two minutes, at half the cost of every minute. */
function parametersOf({
  rules,
  keys,
  days,
  seed,
  classes = "",
  anomalies = false,
}: Fleet): readonly string[] {
  const files = Object.entries(rules).map(([name, file]) => `${name}=${file}`);
  const numbers = ["-keys", `${keys}`, "-days", `${days}`, "-seed", `${seed}`, "-step", "2"];
  // Anomalies are found by comparison with a week.
  const kind = anomalies ? ["-anomalies", "-warn", "Anomaly", "-warmup", "9"] : [];
  return ["-rules", files.join(","), ...numbers, "-class", classes, ...kind];
}

/** The same folder that the tests take their tools from. */
function toolsDirectory(): string {
  return process.env["E2E_TOOLS"] || join(homedir(), ".cache", "aigateway-exporter", "tools");
}
