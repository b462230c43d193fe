import type { Terminal } from "../../../exporter/cli/terminal.ts";
import type { Environment } from "../../../exporter/secrets/secret-source.ts";
import { createManualClock } from "../../support/clock.ts";
import { runCommandLine } from "../../../exporter/cli/command-line/command-line.ts";
import { commands } from "../../../exporter/cli/command-line/commands.ts";

/** A terminal that records what a command prints, and the signals that a test sends. */
export function createTerminalDouble(env: Environment = {}) {
  const printed = { stdout: "", stderr: "" };
  const stop = Promise.withResolvers<void>();
  const endsAfter: number[] = [];
  const hangups: (() => void)[] = [];
  const watchers = new Set<() => void>();

  function printError(text: string): void {
    printed.stderr += text;
    for (const watcher of watchers) watcher();
  }

  /** Resolves once standard error contains the text. */
  function untilPrinted(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => void (printed.stderr.includes(text) && resolve());
      watchers.add(look);
      look();
    });
  }

  const terminal: Terminal = {
    stdout: { write: (text) => void (printed.stdout += text) },
    stderr: { write: printError },
    env,
    clock: createManualClock(),
    random: () => 0.5,
    build: { version: "1.2.3", revision: "abc", nodeVersion: "v22" },
    untilStopped: () => stop.promise,
    onHangup: (run) => void hangups.push(run),
    endAfter: (ms) => void endsAfter.push(ms),
    hasEnded: () => false,
    logErrorsTo: () => {},
  };
  return {
    terminal,
    printed,
    untilPrinted,
    endsAfter,
    stop: () => stop.resolve(),
    hangup: () => {
      for (const run of hangups) run();
    },
  };
}

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
