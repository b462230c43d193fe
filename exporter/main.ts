#!/usr/bin/env node
import packageJson from "../package.json" with { type: "json" };
import { createApp } from "./app.ts";
import { capacityWarnings } from "./capacity.ts";
import { systemClock } from "./clock.ts";
import { HELP, type Options, parseCommandLine, UsageError } from "./command-line.ts";
import type { Config } from "./config/config.ts";
import { systemFiles } from "./config/files.ts";
import { loadConfig } from "./config/load.ts";
import { formatProblem } from "./config/problem.ts";
import { createLog, type Log } from "./log.ts";

process.exitCode = await run(process.argv.slice(2));

/** Runs a command line and returns the exit code: 0 success, 1 failure, 2 wrong use. */
async function run(argv: readonly string[]): Promise<number> {
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
        return await check(line.options);
      case "once":
        return await once(line.options);
      case "run":
        return await serve(line.options);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\nSee aigateway-exporter --help\n`);
    return 2;
  }
}

async function check(options: Options): Promise<number> {
  const config = await load(options, printed());
  if (!config) return 1;
  process.stdout.write(`${options.configFile}: is valid: ${contentsOf(config)}\n`);
  return 0;
}

/** What is configured: `20 keys, analytics, 3 budgets`. */
function contentsOf({ keys, analytics, budgets }: Config): string {
  const parts = [
    counted(keys.length, "key"),
    ...(analytics ? ["analytics"] : []),
    ...(budgets.length > 0 ? [counted(budgets.length, "budget")] : []),
  ];
  return parts.join(", ");
}

function counted(amount: number, one: string): string {
  return `${amount} ${one}${amount === 1 ? "" : "s"}`;
}

async function once(options: Options): Promise<number> {
  const log = newLog(options);
  const config = await load(options, logged(log));
  if (!config) return 1;
  const app = newApp(config, options, log);
  process.stdout.write(await app.once());
  await app.stop();
  return 0;
}

async function serve(options: Options): Promise<number> {
  const log = newLog(options);
  // As process 1 of a container it would miss a signal that comes before it listens for it.
  const stopped = stopSignal();
  const config = await load(options, logged(log));
  if (!config) return 1;
  const app = newApp(config, options, log);
  try {
    await app.start();
  } catch (error) {
    await app.stop();
    log.error({}, `Cannot listen on ${options.listenAddress} (--web.listen-address): ${listenFault(error)}`);
    return 1;
  }
  log.info({ url: app.url(), version: packageJson.version, keys: config.keys.length }, "Listening");
  async function reload(): Promise<void> {
    const next = await load(options, logged(log));
    await app.reload(next);
    if (next) log.info({ keys: next.keys.length }, "Read the configuration again");
  }
  process.on("SIGHUP", () => void reload());
  await stopped;
  log.info({}, "Stopping");
  await app.stop();
  return 0;
}

interface Say {
  problem(text: string): void;
  warning(text: string): void;
}

function printed(): Say {
  return {
    problem: (text) => void process.stderr.write(`${text}\n`),
    warning: (text) => void process.stderr.write(`warning: ${text}\n`),
  };
}

function logged(log: Log): Say {
  return { problem: (text) => log.error({}, text), warning: (text) => log.warn({}, text) };
}

/** The configuration, or undefined after every problem was said. */
async function load(options: Options, say: Say): Promise<Config | undefined> {
  const loaded = await loadConfig({ path: options.configFile, ...systemFiles, env: { ...process.env } });
  if (!loaded.ok) {
    for (const problem of loaded.problems) say.problem(formatProblem(options.configFile, problem));
    return undefined;
  }
  for (const warning of [...loaded.warnings, ...capacityWarnings(loaded.config)]) {
    say.warning(`${options.configFile}: ${warning}`);
  }
  return loaded.config;
}

function newLog(options: Options): Log {
  return createLog(options.logLevel, options.logFormat, process.stderr);
}

function newApp(config: Config, options: Options, log: Log) {
  return createApp(config, {
    clock: systemClock,
    random: Math.random,
    log,
    build: {
      version: packageJson.version,
      revision: process.env["AIGATEWAY_EXPORTER_REVISION"] ?? "unknown",
      nodeVersion: process.version,
    },
    listen: options.listen,
    telemetryPath: options.telemetryPath,
  });
}

/** Resolves at the first signal to stop; the second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
    }
  });
}

function listenFault(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (code === "EADDRINUSE") return "the address is in use; choose another or port 0";
  return code === "EACCES" ? "not permitted" : code;
}
