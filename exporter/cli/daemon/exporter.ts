import { type App, type AppDependencies, createApp } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { createLog, type Log } from "../../log.ts";
import type { Options } from "../command-line/program.ts";
import type { Terminal } from "../terminal.ts";

/** Creates the app that the command line describes. */
export function createExporter(
  config: Config,
  options: Options,
  { clock, random, build }: Pick<Terminal, "clock" | "random" | "build">,
  log: Log,
  serving: Pick<AppDependencies, "web" | "lifecycle"> = {},
): App {
  return createApp(config, { ...options, clock, random, log, build, ...serving });
}

/** Creates the log of a command, on standard error. Unexpected errors go there as well. */
export function createCommandLog({ logLevel, logFormat }: Options, terminal: Terminal): Log {
  const log = createLog(logLevel, logFormat, terminal.stderr);
  terminal.logErrorsTo(log);
  return log;
}
