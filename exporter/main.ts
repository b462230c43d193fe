#!/usr/bin/env node
import packageJson from "../package.json" with { type: "json" };
import type { Terminal } from "./cli/terminal.ts";
import { redact } from "./secrets/redact.ts";
import { systemClock } from "./time/clock.ts";

let reportLastError = (text: string): void => void process.stderr.write(`${text}\n`);
let reload = (): void => {};
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
  untilStopped,
  onHangup: (run) => {
    reload = run;
  },
  endAfter,
  hasEnded,
  logErrorsTo: (log) => {
    reportLastError = (text) => log.error({}, text);
  },
};
// The other modules take most of the start, in which a signal must find its handler.
const { runCommandLine } = await import("./cli/command-line/command-line.ts");
const exitCode = await runCommandLine(process.argv.slice(2), terminal);
process.exitCode ??= exitCode;

function untilStopped(): Promise<void> {
  let isStopping = false;
  return new Promise((resolve) => {
    const onSignal = () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, onSignal);
  });
}

function endAfter(ms: number, beforeEnd: () => void): void {
  const end = () => {
    beforeEnd();
    process.exit(1);
  };
  setTimeout(end, ms).unref();
}

function hasEnded(pid: number): boolean {
  try {
    return Number.isInteger(pid) && !process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** The process never ends without a message (docs/decisions: an unexpected error ends the process). */
function guardProcess(): void {
  process.on("uncaughtException", (error: unknown) => {
    const shown = error instanceof Error ? (error.stack ?? String(error)) : String(error);
    reportLastError(redact(`Cannot continue after an unexpected error: ${shown}`));
    process.exit(1);
  });
  // By default this signal ends the process, also while it starts and reads the configuration anyway.
  process.on("SIGHUP", () => reload());
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
