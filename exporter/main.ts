#!/usr/bin/env node
import packageJson from "../package.json" with { type: "json" };
import { type App, createApp } from "./app.ts";
import { systemClock } from "./time/clock.ts";
import { HELP, type Options, parseCommandLine, UsageError } from "./cli/command-line.ts";
import type { Config } from "./config/config.ts";
import { systemFiles } from "./config/files.ts";
import { withoutSecrets } from "./config/secret.ts";
import type { WebConfig } from "./config/web/web-config.ts";
import { createWebSource } from "./config/web/source.ts";
import { listenFault } from "./cli/listen-fault.ts";
import { loadConfiguration, loadWebConfiguration, type Say } from "./cli/load-configuration.ts";
import { createLog, type Log } from "./log.ts";
import { oneAtATime } from "./config/one-at-a-time.ts";
import { findProbe, runProbeCommand } from "./cli/probe-command.ts";

/** Below what Kubernetes is told to wait, above what clients are given to take their answers. */
const STOP_WITHIN_MS = 8000;

let lastWords = (text: string): void => void process.stderr.write(`${text}\n`);
guardProcess();
const exitCode = await run(process.argv.slice(2));
process.exitCode ??= exitCode;

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
      case "probe":
        return await probe(line.name, line.force, line.options);
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
  const { configFile, webConfigFile } = options;
  const config = await loadConfiguration(configFile, { ...process.env }, printed());
  const web = await loadWebConfiguration(webConfigFile, printed());
  if (!config || !web) return 1;
  process.stdout.write(`${configFile}: is valid: ${contentsOf(config)}\n`);
  if (webConfigFile !== undefined) {
    const access = [web.tls ? "TLS" : "plain HTTP", counted(web.users.size, "user")];
    process.stdout.write(`${webConfigFile}: is valid: ${access.join(", ")}\n`);
  }
  return 0;
}

/** What is configured: `20 keys, analytics, 3 budgets`. */
function contentsOf({ keys, analytics, budgets, probing }: Config): string {
  const parts = [
    counted(keys.length, "key"),
    ...(analytics ? ["analytics"] : []),
    ...(budgets.length > 0 ? [counted(budgets.length, "budget")] : []),
    ...(probing ? [counted(probing.probes.length, "probe")] : []),
  ];
  return parts.join(", ");
}

function counted(amount: number, one: string): string {
  return `${amount} ${one}${amount === 1 ? "" : "s"}`;
}

async function once(options: Options): Promise<number> {
  const log = newLog(options);
  const config = await loadConfiguration(options.configFile, { ...process.env }, logged(log));
  if (!config) return 1;
  const app = newApp(config, options, log);
  process.stdout.write(await app.once());
  await app.stop();
  return 0;
}

async function probe(name: string, force: boolean, options: Options): Promise<number> {
  const config = await loadConfiguration(options.configFile, { ...process.env }, printed());
  if (!config) return 1;
  const found = findProbe(config, name);
  if (!found)
    throw new UsageError(`Unknown probe "${name}": ${options.configFile} has ${probeNames(config)}`);
  const { ok, text } = await runProbeCommand(config, found, force, {
    clock: systemClock,
    version: packageJson.version,
    random: Math.random,
  });
  process.stdout.write(text);
  return ok ? 0 : 1;
}

function probeNames({ probing }: Config): string {
  return probing?.probes.map(({ name }) => `"${name}"`).join(", ") ?? "no probes";
}

async function serve(options: Options): Promise<number> {
  const { configFile, webConfigFile, listenAddress } = options;
  const log = newLog(options);
  // As process 1 of a container it would miss a signal that comes before it listens for it.
  const stopped = stopSignal();
  const started = Promise.withResolvers<App>();
  const reload = oneAtATime(() => reloadOf(started.promise, options, log));
  process.on("SIGHUP", () => void reload());
  const config = await loadConfiguration(configFile, { ...process.env }, logged(log));
  const web = await loadWebConfiguration(webConfigFile, logged(log));
  if (!config || !web) return 1;
  const app = newApp(config, options, log, { web, reload });
  try {
    await app.start();
  } catch (error) {
    await app.stop();
    log.error({}, `Cannot listen on ${listenAddress} (--web.listen-address): ${listenFault(error)}`);
    return 1;
  }
  log.info({ url: app.url(), version: packageJson.version, keys: config.keys.length }, "Listening");
  started.resolve(app);
  await stopped;
  log.info({}, "Stopping");
  endAfter(STOP_WITHIN_MS, log);
  await app.stop();
  return 0;
}

function endAfter(ms: number, log: Log): void {
  const end = () => {
    log.error({}, `Cannot stop within ${ms / 1000} s; ends at once`);
    process.exit(1);
  };
  setTimeout(end, ms).unref();
}

/** What is wrong with the new configuration; then everything stays as it is. Never rejects. */
async function reloadOf(started: Promise<App>, options: Options, log: Log): Promise<readonly string[]> {
  const app = await started;
  const problems: string[] = [];
  const say = {
    ...logged(log),
    problem: (text: string) => {
      problems.push(text);
      log.error({}, text);
    },
  };
  try {
    const next = await loadConfiguration(options.configFile, { ...process.env }, say);
    await app.reload(next);
    if (next) log.info({ keys: next.keys.length }, "Read the configuration again");
  } catch (error) {
    say.problem(`${options.configFile}: cannot be loaded: ${withoutSecrets(String(error))}`);
    await app.reload(undefined);
  }
  if (problems.length > 0) log.error({}, "Cannot reload; the configuration before stays in use");
  return problems;
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

function newLog(options: Options): Log {
  const log = createLog(options.logLevel, options.logFormat, process.stderr, withoutSecrets);
  lastWords = (text) => log.error({}, text);
  return log;
}

interface Serving {
  readonly web: WebConfig;
  readonly reload: () => Promise<readonly string[]>;
}

function newApp(config: Config, options: Options, log: Log, serving?: Serving): App {
  const { listen, telemetryPath, maxRequests, webConfigFile: path, enableLifecycle: isEnabled } = options;
  return createApp(config, {
    clock: systemClock,
    random: Math.random,
    log,
    build: {
      version: packageJson.version,
      revision: process.env["AIGATEWAY_EXPORTER_REVISION"] ?? "unknown",
      nodeVersion: process.version,
    },
    listen,
    telemetryPath,
    maxRequests,
    ...(serving && path !== undefined && { web: createWebSource(path, serving.web, systemFiles, log) }),
    ...(serving && { lifecycle: { isEnabled, reload: serving.reload } }),
  });
}

/** Resolves at the first signal to stop; the second one ends the process at once. */
function stopSignal(): Promise<void> {
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

/** Nothing ends the process without a word (docs/decisions: an unexpected error ends the process). */
function guardProcess(): void {
  process.on("uncaughtException", (error: unknown) => {
    const said = error instanceof Error ? (error.stack ?? String(error)) : String(error);
    lastWords(withoutSecrets(`Cannot go on after an unexpected error: ${said}`));
    process.exit(1);
  });
  // Whoever read the log is gone: that is no reason to be blind. Nor can it be said anywhere.
  process.stderr.on("error", () => {});
  // Whoever wanted the output did not get all of it.
  process.stdout.on("error", () => {
    process.exitCode = 1;
  });
}
