import { runCommandLine } from "../../../exporter/cli/command-line/command-line.ts";
import { commands } from "../../../exporter/cli/command-line/commands.ts";
import { createTerminalDouble } from "./terminal-double.ts";

/** What a command line calls, which does not run, and what it prints. */
export async function calledCommand(argv: readonly string[]) {
  const { terminal, printed } = createTerminalDouble();
  let called: readonly unknown[] = [];
  const record =
    (name: string) =>
    (...values: readonly unknown[]) => {
      called = [name, ...values.filter((value) => value !== terminal)];
      return Promise.resolve(0);
    };
  const recorded = { ...commands };
  for (const name of [
    "backfill",
    "check",
    "healthcheck",
    "once",
    "printRules",
    "probe",
    "report",
    "run",
  ] as const)
    recorded[name] = record(name);
  recorded.writeDashboards = record("writeDashboards");
  return { code: await runCommandLine(argv, terminal, recorded), called, ...printed };
}
