#!/usr/bin/env node
import packageJson from "../package.json" with { type: "json" };
import { backfill } from "./cli/backfill/backfill.ts";
import { check } from "./cli/check/check.ts";
import { parseCommandLine } from "./cli/command-line/command-line.ts";
import { UsageError } from "./cli/command-line/usage-error.ts";
import { HELP } from "./cli/command-line/help.ts";
import { once } from "./cli/daemon/once.ts";
import { printRules } from "./cli/print-rules.ts";
import { probe } from "./cli/probe.ts";
import { report } from "./cli/report.ts";
import { run } from "./cli/daemon/run.ts";
import type { Terminal } from "./cli/terminal.ts";
import { writeDashboards } from "./cli/write-dashboards.ts";
import { withoutSecrets } from "./config/secret.ts";
import { systemClock } from "./time/clock.ts";

let reportLastError = (text: string): void => void process.stderr.write(`${text}\n`);
guardProcess();
const terminal: Terminal = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: { ...process.env },
  clock: systemClock,
  random: Math.random,
  build: {
    version: packageJson.version,
    revision: process.env["AIGATEWAY_EXPORTER_REVISION"] ?? "unknown",
    nodeVersion: process.version,
  },
  node: {
    options: process.execArgv,
    isDebuggable: process.getBuiltinModule("node:inspector").url() !== undefined,
  },
  untilStopped,
  onHangup: (reload) => void process.on("SIGHUP", reload),
  endAfter,
  logErrorsTo: (log) => {
    reportLastError = (text) => log.error({}, text);
  },
};
const exitCode = await runCommand(process.argv.slice(2));
process.exitCode ??= exitCode;
if (isReading()) endNow(Number(process.exitCode));

/** Runs a command line and returns the exit code: 0 success, 1 failure, 2 usage error. */
async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    const line = parseCommandLine(argv);
    switch (line.command) {
      case "help":
        process.stdout.write(HELP);
        return 0;
      case "version":
        process.stdout.write(`aigateway-exporter ${packageJson.version}\n`);
        return 0;
      case "check":
        return await check(line.options, terminal, line.isOnline);
      case "report":
        return await report(line.request, line.options, terminal);
      case "backfill":
        return await backfill(line, terminal);
      case "once":
        return await once(line.options, terminal);
      case "probe":
        return await probe(line, terminal);
      case "rules":
        return await printRules(line.format, line.ruleOptions, terminal);
      case "dashboards":
        return await writeDashboards(line.output, terminal);
      case "completion":
        process.stdout.write((await import("./cli/command-line/completion.ts")).completionScript(line.shell));
        return 0;
      case "run":
        return await run(line.options, terminal);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${withoutSecrets(error.message)}\nSee aigateway-exporter --help\n`);
    return 2;
  }
}

function untilStopped(): Promise<void> {
  let isStopping = false;
  return new Promise((resolve) => {
    const onSignal = () => {
      if (isStopping) endNow(1);
      isStopping = true;
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, onSignal);
  });
}

function endAfter(ms: number, beforeEnd: () => void): void {
  const end = () => {
    beforeEnd();
    endNow(1);
  };
  setTimeout(end, ms).unref();
}

/** Whether a file is being read, which may hang for ever. */
function isReading(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}

/**
 * Ends the process. A usual exit waits for every thread, so when a file may hang, another program takes the place of
 * this one. It ends at once with the same code, as process 1 of a container as well, which no signal of its own kills.
 */
function endNow(code: number): void {
  if (isReading()) process.execve?.(process.execPath, [process.execPath, "-e", `process.exit(${code})`], {});
  process.exit(code);
}

/** The process never ends without a message (docs/decisions: an unexpected error ends the process). */
function guardProcess(): void {
  process.on("uncaughtException", (error: unknown) => {
    const shown = error instanceof Error ? (error.stack ?? String(error)) : String(error);
    reportLastError(withoutSecrets(`Cannot continue after an unexpected error: ${shown}`));
    endNow(1);
  });
  // By default this signal opens the debugger, from which other users of the machine can read every secret.
  process.on("SIGUSR1", () => {});
  // The exporter keeps running if nothing reads the log any more, and has nowhere to report that.
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exitCode = 1;
    // With EPIPE the reader wanted no more.
    if (error.code !== "EPIPE") reportLastError(`Cannot write the output: ${error.message}`);
  });
}
