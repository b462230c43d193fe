import { type App, createApp } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { systemFiles } from "../../config/files.ts";
import { createWebSource } from "../../config/web/source.ts";
import type { WebConfig } from "../../config/web/web-config.ts";
import { createLineLimiter, createLog, type Log } from "../../log.ts";
import type { Options } from "../command-line/command-line.ts";
import type { Terminal } from "../terminal.ts";

/** The features of the daemon that `once` does not need. */
export interface Serving {
  readonly web: WebConfig;
  /** Returns the problems of the new configuration. */
  readonly reload: () => Promise<readonly string[]>;
}

/** Creates the app that the command line describes. */
export function createExporter(
  config: Config,
  options: Options,
  { clock, random, build }: Pick<Terminal, "clock" | "random" | "build">,
  log: Log,
  serving?: Serving,
): App {
  const {
    listen,
    telemetryPath,
    maxRequests,
    allowedHosts,
    webConfigFile: path,
    enableLifecycle: isEnabled,
  } = options;
  const lines = createLineLimiter(log, clock, WEB_LINES_PER_MINUTE);
  const webLog: Pick<Log, "error" | "info"> = {
    error: (fields, message) => lines.write("error", "web configuration", fields, message),
    info: (fields, message) => lines.write("info", "web configuration", fields, message),
  };
  const app = createApp(config, {
    clock,
    random,
    log,
    build,
    listen,
    telemetryPath,
    maxRequests,
    allowedHosts,
    ...(serving && path !== undefined && { web: createWebSource(path, serving.web, systemFiles, webLog) }),
    ...(serving && { lifecycle: { isEnabled, reload: serving.reload } }),
  });
  return {
    ...app,
    stop: async () => {
      await app.stop();
      lines.flush();
    },
  };
}

/**
 * Enough for every problem of a file. A file that can be read only at times, for lack of descriptors, would
 * cause thousands.
 */
const WEB_LINES_PER_MINUTE = 20;

/** Creates the log of a command, on standard error. Unexpected errors go there as well. */
export function createCommandLog({ logLevel, logFormat }: Options, terminal: Terminal): Log {
  const log = createLog(logLevel, logFormat, terminal.stderr);
  terminal.logErrorsTo(log);
  return log;
}
