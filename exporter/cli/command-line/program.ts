import { Command, Option } from "commander";
import { DEFAULT_PORT } from "../../config/schema.ts";
import { MOST_SHARDS, type ShardFlags } from "../../config/shards/shard.ts";
import { MAX_REQUESTS, type ListenAddress } from "../../http/server.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "../../log.ts";
import {
  allowedHosts,
  autoReloadInterval,
  integer,
  link,
  listenAddress,
  routePrefix,
  telemetryPath,
  UsageError,
} from "./flag-values.ts";

export const DEFAULT_CONFIG_FILE = "aigateway-exporter.yaml";

/**
 * The flags that the program understands before and after every command. As with Prometheus and its exporters, `--help`
 * fits a screen, and `--help-long` has every flag.
 */
export function createProgram(version: string): Command {
  const level = new Option("--log.level <level>", "Lowest level to log.");
  const format = new Option("--log.format <format>", "Format of the log.");
  const program = new Command("aigateway-exporter")
    .description("Polls an AI gateway; serves credits, limits and spend as Prometheus metrics.")
    .usage("[command] [flags]")
    .option("--config.file <file>", `Settings. (default: ${DEFAULT_CONFIG_FILE})`)
    .addOption(
      new Option("--config.auto-reload-interval <time>", "Reload it when it changes; 0s is never.")
        .argParser(autoReloadInterval)
        .default(0, "0s"),
    )
    .option(
      "--web.listen-address <host:port>",
      `Repeatable; 0: a free port. (default: :${DEFAULT_PORT})`,
      (text, former: readonly ListenAddress[] | undefined) => [...(former ?? []), listenAddress(text)],
    )
    .option("--web.external-url <url>", "Where browsers find it behind a proxy.", link("web.external-url"))
    .option(
      "--web.route-prefix <path>",
      "Prefix of every path. (default: the path of --web.external-url)",
      routePrefix,
    )
    .option("--web.telemetry-path <path>", "Path of the metrics.", telemetryPath, "/metrics")
    .option("--web.config.file <file>", "File with TLS and basic authentication.")
    .option("--web.enable-lifecycle", "POST /-/reload reloads.")
    .option("--web.allowed-hosts <hosts>", "Serve only these host names, separated by commas.", allowedHosts)
    .option(
      "--web.max-requests <n>",
      "Scrapes at once; 0 is unlimited.",
      integer("web.max-requests", 0, 999_999),
      MAX_REQUESTS,
    )
    .addOption(level.choices(LOG_LEVELS).default("info"))
    .addOption(format.choices(LOG_FORMATS).default("json"))
    .option("--shard <n>", "Which shard this is, from 0.", integer("shard", 0, MOST_SHARDS - 1))
    .option(
      "--total-shards <n>",
      "How many processes divide the keys.",
      integer("total-shards", 1, MOST_SHARDS),
    )
    .option("--once", "Poll once, print the metrics, and exit.")
    .version(`aigateway-exporter ${version}`, "--version", "Print the version.")
    .option("--help-long", "Print the help with every flag.")
    .helpOption("-h, --help", "Print this help.")
    .helpCommand("help [command]", "Print the help of a command.")
    .addHelpText("after", "\nExit codes: 0 success, 1 failure, 2 usage error. SIGHUP reloads.");
  for (const option of program.options) option.hideHelp(!SHORT_HELP.has(option.long));
  return program.on("option:help-long", () => {
    for (const option of program.options) option.hideHelp(false);
    program.help();
  });
}

const SHORT_HELP: ReadonlySet<string | undefined> = new Set([
  "--config.file",
  "--web.listen-address",
  "--web.config.file",
  "--once",
  "--version",
  "--help-long",
]);

/** What these flags say. */
export interface Options extends ShardFlags {
  readonly configFile: string;
  /** How often to look for changes of the configuration; 0 is never. */
  readonly autoReloadIntervalMs: number;
  /** All addresses to listen on, at least one. */
  readonly listen: readonly ListenAddress[];
  /** Before every path, without a slash at the end; empty: none. */
  readonly routePrefix: string;
  readonly telemetryPath: string;
  readonly webConfigFile: string | undefined;
  readonly enableLifecycle: boolean;
  /** Host names in lower case, without port; empty: any. */
  readonly allowedHosts: readonly string[];
  readonly maxRequests: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

interface ProgramFlags {
  readonly "config.file"?: string;
  readonly "config.autoReloadInterval": number;
  readonly "web.listenAddress"?: readonly ListenAddress[];
  readonly "web.externalUrl"?: string;
  readonly "web.routePrefix"?: string;
  readonly "web.telemetryPath": string;
  readonly "web.config.file"?: string;
  readonly "web.enableLifecycle"?: true;
  readonly "web.allowedHosts"?: readonly string[];
  readonly "web.maxRequests": number;
  readonly "log.level": LogLevel;
  readonly "log.format": LogFormat;
  readonly shard?: number;
  readonly totalShards?: number;
}

/** The values of these flags. @throws UsageError */
export function optionsOf(program: Command): Options {
  const flags = program.opts<ProgramFlags>();
  const { shard, totalShards } = flags;
  if (shard !== undefined && totalShards !== undefined && shard >= totalShards)
    throw new UsageError(
      `Unknown shard ${shard} (--shard): expected an integer from 0 to ${totalShards - 1}, because --total-shards is ${totalShards}`,
    );
  return {
    configFile: flags["config.file"] ?? DEFAULT_CONFIG_FILE,
    autoReloadIntervalMs: flags["config.autoReloadInterval"],
    listen: flags["web.listenAddress"] ?? [{ host: undefined, port: DEFAULT_PORT }],
    routePrefix:
      flags["web.routePrefix"] ?? routePrefix(URL.parse(flags["web.externalUrl"] ?? "")?.pathname ?? "/"),
    telemetryPath: flags["web.telemetryPath"],
    // Empty means no file, as in Prometheus' exporters.
    webConfigFile: flags["web.config.file"] === "" ? undefined : flags["web.config.file"],
    enableLifecycle: flags["web.enableLifecycle"] === true,
    allowedHosts: flags["web.allowedHosts"] ?? [],
    maxRequests: flags["web.maxRequests"],
    logLevel: flags["log.level"],
    logFormat: flags["log.format"],
    shard,
    totalShards,
  };
}
