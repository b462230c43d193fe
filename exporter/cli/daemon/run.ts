import { type App, type AppDependencies, createApp } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { systemFiles } from "../../secrets/files.ts";
import { createWebSource } from "../../config/web/source.ts";
import { createFollowedFiles } from "../../config/followed-files.ts";
import { ownPart } from "../../config/shards/part.ts";
import { ListenError } from "../../http/server.ts";
import { createReload, startAutoReload } from "./reload.ts";
import type { Options } from "../command-line/program.ts";
import { loadConfiguration, loadWebConfiguration, logReporter } from "../load-configuration.ts";
import type { Terminal } from "../terminal.ts";
import { createLog, type Log } from "../../log.ts";

/**
 * Shorter than Kubernetes' grace period before SIGKILL, longer than the time that clients have to read their answers.
 */
const STOP_WITHIN_MS = 8000;

/** The daemon: loads the configuration, then polls and serves until a signal stops it. */
export async function run(options: Options, terminal: Terminal): Promise<number> {
  const { configFile, webConfigFile, autoReloadIntervalMs: intervalMs } = options;
  const log = createCommandLog(options, terminal);
  // Process 1 of a container ignores signals without a handler, so install the handlers before anything slow.
  const stopped = terminal.untilStopped();
  const started = Promise.withResolvers<App>();
  const followed = createFollowedFiles(configFile, systemFiles);
  const reload = createReload(started.promise, {
    configFile,
    env: terminal.env,
    followed,
    log,
    flags: options,
  });
  terminal.onHangup(() => void reload.run());
  const own = (whole: Config) => ownPart(whole, options, terminal.env);
  const config = await loadConfiguration(configFile, terminal.env, logReporter(log), followed.files, own);
  const web = await loadWebConfiguration(webConfigFile, logReporter(log));
  if (!config || !web) return 1;
  const app = createExporter(config, options, terminal, log, {
    web: webConfigFile === undefined ? undefined : createWebSource(webConfigFile, web, systemFiles, log),
    lifecycle: { isEnabled: options.enableLifecycle, reload: reload.run },
  });
  try {
    await app.start();
  } catch (error) {
    await app.stop();
    if (!(error instanceof ListenError)) throw error;
    log.error({}, `Cannot listen on ${error.address} (--web.listen-address): ${listenFault(error.cause)}`);
    return 1;
  }
  const facts = {
    version: terminal.build.version,
    keys: config.keys.length,
    ...(config.part && { shard: config.part.ordinal, shards: config.part.total }),
    config_hash: config.hash,
    ...(config.gateway.proxy && { proxy: config.gateway.proxy.url }),
  };
  for (const url of app.urls()) log.info({ url, ...facts }, "Listening");
  started.resolve(app);
  const { clock } = terminal;
  const stopAutoReload = intervalMs > 0 ? startAutoReload({ intervalMs, clock, followed, reload }) : () => {};
  await stopped;
  stopAutoReload();
  log.info({}, "Stopping");
  const seconds = STOP_WITHIN_MS / 1000;
  terminal.endAfter(STOP_WITHIN_MS, () => log.error({}, `Cannot stop within ${seconds} s; exiting now`));
  await app.stop();
  return 0;
}

/** A readable reason why the server cannot listen on an address. */
function listenFault(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return LISTEN_FAULTS.get(code) ?? code;
}

const LISTEN_FAULTS: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "the address is in use; choose another or port 0"],
  ["EACCES", "not permitted; ports below 1024 may need a privilege"],
  ["EADDRNOTAVAIL", "no interface of this machine has this address"],
  ["ENOTFOUND", "the host is unknown"],
  ["EAI_AGAIN", "the host name cannot be resolved now"],
  ["EAFNOSUPPORT", "this machine does not support addresses of this kind"],
]);

/** Creates the app that the command line describes. */
function createExporter(
  config: Config,
  options: Options,
  { clock, random, build }: Pick<Terminal, "clock" | "random" | "build">,
  log: Log,
  serving: Pick<AppDependencies, "web" | "lifecycle"> = {},
): App {
  return createApp(config, { ...options, clock, random, log, build, ...serving });
}

/** Creates the log of a command, on standard error. Unexpected errors go there as well. */
function createCommandLog({ logLevel, logFormat }: Options, terminal: Terminal): Log {
  const log = createLog(logLevel, logFormat, terminal.stderr);
  terminal.logErrorsTo(log);
  return log;
}

/** Polls every target once and prints the exposition. Fails if no poll succeeded. */
export async function once(options: Options, terminal: Terminal): Promise<number> {
  const log = createCommandLog(options, terminal);
  const { env } = terminal;
  const own = (whole: Config) => ownPart(whole, options, env);
  const config = await loadConfiguration(options.configFile, env, logReporter(log), undefined, own);
  if (!config) return 1;
  const app = createExporter(config, options, terminal, log);
  try {
    const { exposition, isUseful } = await app.once();
    terminal.stdout.write(exposition);
    return isUseful ? 0 : 1;
  } finally {
    await app.stop();
  }
}
