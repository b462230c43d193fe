import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * How good are the alert rules? Runs `dashboards/generated/rules.yaml` beside the rules that others use over a simulated fleet of
 * keys whose truth is known, and prints the report.
 */
const { values } = parseArgs({
  options: {
    alertsim: { type: "string", default: join(toolsDirectory(), "alertsim") },
    reference: { type: "string", default: "../shared/reference/rules/fleet" },
    keys: { type: "string", default: "108" },
    days: { type: "string", default: "14" },
    seeds: { type: "string", default: "101,202,303" },
  },
});

const sets = {
  ours: "dashboards/generated/rules.yaml",
  predict: join(values.reference, "predict-linear.yaml"),
  static: join(values.reference, "static.yaml"),
  improved: join(values.reference, "improved.yaml"),
};
const rules = Object.entries(sets).map(([name, file]) => `${name}=${file}`);

for (const seed of values.seeds.split(",")) {
  const parameters = [
    "-rules",
    rules.join(","),
    "-keys",
    values.keys,
    "-days",
    values.days,
    "-seed",
    seed,
    "-step",
    "2",
  ];
  const { status, error } = spawnSync(values.alertsim, parameters, { stdio: "inherit" });
  if (status !== 0) {
    process.stderr.write(
      `Cannot run the fleet with "${values.alertsim}": ${error?.message ?? `exit code ${status}`}\n`,
    );
    process.exitCode = 1;
    break;
  }
}

/** The same folder as that of the tests' tools. */
function toolsDirectory(): string {
  return process.env["E2E_TOOLS"] || join(homedir(), ".cache", "aigateway-exporter", "tools");
}
