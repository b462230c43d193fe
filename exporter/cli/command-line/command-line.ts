import { parseArgs } from "node:util";
import type { BackfillRequest } from "../../backfill/plan.ts";
import { DEFAULT_PORT } from "../../config/schema.ts";
import type { ShardFlags } from "../../config/shards/shard.ts";
import type { ListenAddress } from "../../http/server.ts";
import type { RuleOptions } from "../../../dashboards/rules/settings.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "../../log.ts";
import { autoReloadInterval } from "../daemon/auto-reload.ts";
import { backfillRequest, serverUrl } from "./backfill-flags.ts";
import { type Command, COMMANDS, FLAGS, FLAGS_OF_COMMANDS } from "./flags.ts";
import type { RuleFormat } from "../print-rules.ts";
import { type ReportRequest, reportRequest } from "./report-flags.ts";
import { ruleFormat, ruleOptions } from "./rule-flags.ts";
import { shardFlags } from "./shard-flags.ts";
import { SIMULATE } from "./simulate-flags.ts";
import { type Shell, shellNamed } from "./shell.ts";
import { oneOf, UsageError } from "./usage-error.ts";
import { allowedHosts, listenAddress, maxRequests, telemetryPath, webConfigFile } from "./web-flags.ts";

/** The parsed command line. */
export type CommandLine =
  | { readonly command: "help" | "version" }
  | { readonly command: "run" | "once"; readonly options: Options }
  | {
      readonly command: "check";
      /** Ask the gateway once as well. */
      readonly isOnline: boolean;
      readonly options: Options;
    }
  | {
      readonly command: "probe";
      readonly name: string;
      /** Run the probe even if it might exceed the day's ceiling. */
      readonly force: boolean;
      readonly options: Options;
    }
  | { readonly command: "report"; readonly request: ReportRequest; readonly options: Options }
  | {
      readonly command: "backfill";
      readonly request: BackfillRequest;
      /** The folder to write to. */
      readonly output: string;
      /** The server that is to take the past and is asked about it, with user and password; undefined: none. */
      readonly url: string | undefined;
      /** Print what it would ask and write. */
      readonly isDryRun: boolean;
      readonly options: Options;
    }
  | { readonly command: "rules"; readonly format: RuleFormat; readonly ruleOptions: RuleOptions }
  | {
      readonly command: "dashboards";
      /** The folder to write to. */
      readonly output: string;
    }
  | { readonly command: "completion"; readonly shell: Shell };

export interface Options extends ShardFlags {
  readonly configFile: string;
  /** How often to look for changes of the configuration; 0 is never. */
  readonly autoReloadIntervalMs: number;
  /** All addresses to listen on, at least one. */
  readonly listen: readonly ListenAddress[];
  readonly telemetryPath: string;
  readonly webConfigFile: string | undefined;
  readonly enableLifecycle: boolean;
  /** Host names in lower case, without port; empty: any. */
  readonly allowedHosts: readonly string[];
  readonly maxRequests: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** @throws UsageError */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parsed(argv);
  if (values.help) return { command: "help" };
  if (values.version) return { command: "version" };
  const [command, ...rest] = positionals;
  if (command === SIMULATE)
    throw new UsageError(
      `The command ${SIMULATE} is only in the npm package, and must be the first argument. In a checkout, use npm run demo`,
    );
  if (command !== undefined && !isCommand(command))
    throw new UsageError(`Unknown command "${command}": expected ${COMMANDS.join(", ")}`);
  const isNamed = command === "probe" || command === "completion";
  const [name, more] = isNamed ? [rest[0], rest.slice(1)] : [undefined, rest];
  if (more.length > 0) throw new UsageError(`Unexpected argument "${more.join(" ")}"`);
  if (command !== undefined && values.once)
    throw new UsageError(`--once does not apply to the command ${command}`);
  for (const [flag, ...only] of FLAGS_OF_COMMANDS) {
    if (values[flag] && !only.some((each) => each === command))
      throw new UsageError(`--${flag} applies to the command ${only.join(" or ")} only`);
  }
  return toCommandLine(command, name, values);
}

function isCommand(text: string): text is Command {
  return COMMANDS.some((command) => command === text);
}

function toCommandLine(command: Command | undefined, name: string | undefined, values: Values): CommandLine {
  switch (command) {
    case "report":
      return { command, request: reportRequest(values), options: optionsOf(values) };
    case "backfill":
      if (values.output === "" && !values["dry-run"])
        throw new UsageError("The command backfill needs --output=FOLDER, or --dry-run");
      return {
        command,
        request: backfillRequest(values),
        output: values.output,
        url: serverUrl(values.url),
        isDryRun: values["dry-run"],
        options: optionsOf(values),
      };
    case "rules":
      return { command, format: ruleFormat(values), ruleOptions: ruleOptions(values) };
    case "dashboards":
      if (values.output === "") throw new UsageError("The command dashboards needs --output=FOLDER");
      return { command, output: values.output };
    case "completion":
      return { command, shell: shellNamed(name) };
    case "probe":
      return { command, name: probeName(name), force: values.force, options: optionsOf(values) };
    case "check":
      return { command, isOnline: values.online, options: optionsOf(values) };
    case undefined:
      return { command: values.once ? "once" : "run", options: optionsOf(values) };
  }
}

type Values = ReturnType<typeof parsed>["values"];

function probeName(name: string | undefined): string {
  if (name === undefined) throw new UsageError("The command probe needs the name of a probe");
  return name;
}

function optionsOf(values: Values): Options {
  return {
    configFile: values["config.file"],
    autoReloadIntervalMs: autoReloadInterval(values["config.auto-reload-interval"]),
    listen: (values["web.listen-address"] ?? [`:${DEFAULT_PORT}`]).map(listenAddress),
    telemetryPath: telemetryPath(values["web.telemetry-path"]),
    webConfigFile: webConfigFile(values["web.config.file"]),
    enableLifecycle: values["web.enable-lifecycle"],
    allowedHosts: allowedHosts(values["web.allowed-hosts"]),
    maxRequests: maxRequests(values["web.max-requests"]),
    logLevel: oneOf("log.level", LOG_LEVELS, values["log.level"]),
    logFormat: oneOf("log.format", LOG_FORMATS, values["log.format"]),
    ...shardFlags(values),
  };
}

function parsed(argv: readonly string[]) {
  try {
    const result = parseArgs({ args: [...argv], options: FLAGS, allowPositionals: true, tokens: true });
    refuseRepeated(result.tokens);
    return result;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The rest of Node's text is advice about positional arguments, which does not apply.
    throw new UsageError(error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error));
  }
}

/** The second of two values would silently replace the first. */
function refuseRepeated(tokens: readonly { readonly kind: string; readonly name?: string }[]): void {
  const given = new Set<string>();
  for (const { kind, name } of tokens) {
    if (kind !== "option" || name === undefined || name === "web.listen-address") continue;
    if (given.has(name)) throw new UsageError(`--${name} is given more than once: give it once`);
    given.add(name);
  }
}
