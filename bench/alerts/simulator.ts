import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { toolsDirectory } from "../../test/support/tools.ts";

/** What a fleet consists of: keys, keys and accounts with layers, or accounts that run out of credits. */
export type FleetKind = "keys" | "layers" | "accounts";

/** A simulated fleet and the rule files that are compared on it. */
export interface Fleet {
  readonly kind: FleetKind;
  /** Rule files by the name of their column in the report. */
  readonly rules: Readonly<Record<string, string>>;
  /**
   * Without a file `ours`, our alerts on keys and accounts are judged without Prometheus' engine, many times as
   * fast. `history`: each process of the exporter begins with the gateway's history.
   */
  readonly history?: boolean;
  readonly keys: number;
  readonly days: number;
  readonly seed: number;
  /** A regular expression: only keys of classes that match it. Default: all. */
  readonly classes?: string;
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
  return runSimulator(program, parametersOf(fleet));
}

/** Runs the simulator and returns what it prints. */
export async function runSimulator(program: string, parameters: readonly string[]): Promise<string> {
  const child = spawn(program, parameters, {
    stdio: ["ignore", "pipe", "inherit"],
    // The simulator starts the forecast with this Node.
    env: {
      GOMEMLIMIT: "6000MiB",
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`,
    },
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
  history = false,
  keys,
  days,
  seed,
  classes = "",
}: Fleet): readonly string[] {
  const files = Object.entries(rules).map(([name, file]) => `${name}=${file}`);
  const numbers = ["-keys", `${keys}`, "-days", `${days}`, "-seed", `${seed}`, "-step", "2"];
  return [
    "-rules",
    files.join(","),
    "-forecast",
    join(import.meta.dirname, "forecasts.ts"),
    ...(history ? ["-history"] : []),
    ...numbers,
    "-class",
    classes,
    "-fleet",
    kind,
  ];
}
