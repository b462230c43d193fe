import { parseArgs } from "node:util";
import { DEFAULT_PORT } from "../config/schema.ts";
import { MAX_REQUESTS } from "../http/limits.ts";
import type { ListenAddress } from "../http/server.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "../log.ts";

/** The parsed command line. */
export type CommandLine =
  | { readonly command: "help" | "version" }
  | { readonly command: "run" | "once" | "check"; readonly options: Options }
  | {
      readonly command: "probe";
      readonly name: string;
      /** Run the probe even if it might exceed the day's ceiling. */
      readonly force: boolean;
      readonly options: Options;
    };

export interface Options {
  readonly configFile: string;
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

/** The command line is wrong. The message names the mistake and what was expected. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const FLAGS = {
  "config.file": { type: "string", default: "aigateway-exporter.yaml" },
  "web.listen-address": { type: "string", multiple: true },
  "web.telemetry-path": { type: "string", default: "/metrics" },
  "web.config.file": { type: "string" },
  "web.enable-lifecycle": { type: "boolean", default: false },
  "web.allowed-hosts": { type: "string", default: "" },
  "web.max-requests": { type: "string", default: String(MAX_REQUESTS) },
  "log.level": { type: "string", default: "info" },
  "log.format": { type: "string", default: "json" },
  once: { type: "boolean", default: false },
  force: { type: "boolean", default: false },
  version: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

export const HELP = `Prometheus exporter for AI gateways: credits, limits and spend of keys, models and apps.

Usage: aigateway-exporter [check | probe NAME] [flags]

Commands:
  (none)      Poll the gateway and serve the metrics.
  check       Check the configuration and the web configuration, print every problem, and exit.
  probe NAME  Run a probe of the configuration once, print its result, and exit. It costs credits.

Flags:
  --config.file=aigateway-exporter.yaml  The configuration file.
  --web.listen-address=:${DEFAULT_PORT}            Address to listen on, host:port; port 0 selects a free one. Repeatable.
  --web.telemetry-path=/metrics          Path of the metrics.
  --web.config.file=FILE                 TLS and basic authentication, as in Prometheus' exporters.
  --web.enable-lifecycle                 Let POST /-/reload reload the configuration.
  --web.allowed-hosts=HOST,...           Serve only requests for these hosts; without it, for any.
  --web.max-requests=${MAX_REQUESTS}                  Maximum number of concurrent scrapes; 0 is unlimited.
  --log.level=info                       One of ${LOG_LEVELS.join(", ")}.
  --log.format=json                      One of ${LOG_FORMATS.join(", ")}.
  --once                                 Poll everything once, print the metrics, and exit.
  --force                                Run the probe even if it might exceed max_cost_per_day.
  --version                              Print the version and exit.
  -h, --help                             Print this help and exit.

Signals: SIGHUP reloads the configuration; SIGTERM and SIGINT stop, a second one at once.
Exit codes: 0 success, 1 failure, 2 usage error.
`;

/** @throws UsageError */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parsed(argv);
  if (values.help) return { command: "help" };
  if (values.version) return { command: "version" };
  const [command, ...rest] = positionals;
  if (command !== undefined && command !== "check" && command !== "probe")
    throw new UsageError(`Unknown command "${command}": expected check or probe`);
  const [name, more] = command === "probe" ? [rest[0], rest.slice(1)] : [undefined, rest];
  if (more.length > 0) throw new UsageError(`Unexpected argument "${more.join(" ")}"`);
  if (command !== undefined && values.once)
    throw new UsageError(`Cannot ${command} and poll once: --once does not apply to ${command}`);
  if (values.force && command !== "probe") throw new UsageError("--force applies to the command probe only");
  const options = optionsOf(values);
  if (command === "probe") return { command, name: probeName(name), force: values.force, options };
  return { command: command ?? (values.once ? "once" : "run"), options };
}

function probeName(name: string | undefined): string {
  if (name === undefined) throw new UsageError("The command probe needs the name of a probe");
  return name;
}

function optionsOf(values: ReturnType<typeof parsed>["values"]): Options {
  return {
    configFile: values["config.file"],
    listen: (values["web.listen-address"] ?? [`:${DEFAULT_PORT}`]).map(listenAddress),
    telemetryPath: telemetryPath(values["web.telemetry-path"]),
    webConfigFile: webConfigFile(values["web.config.file"]),
    enableLifecycle: values["web.enable-lifecycle"],
    allowedHosts: allowedHosts(values["web.allowed-hosts"]),
    maxRequests: maxRequests(values["web.max-requests"]),
    logLevel: oneOf("log.level", LOG_LEVELS, values["log.level"]),
    logFormat: oneOf("log.format", LOG_FORMATS, values["log.format"]),
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

function listenAddress(text: string): ListenAddress {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) {
    throw new UsageError(
      `Cannot listen on "${text}" (--web.listen-address): expected host:port, such as :${DEFAULT_PORT} or 127.0.0.1:${DEFAULT_PORT}`,
    );
  }
  const host = match[1] ?? match[2];
  return { host: host === "" ? undefined : host, port };
}

function telemetryPath(text: string): string {
  if (/^\/[\w./-]+$/.test(text) && !text.startsWith("/-/")) return text;
  throw new UsageError(
    `Cannot serve metrics at "${text}" (--web.telemetry-path): expected a path other than / and /-/…, such as /metrics`,
  );
}

/** Empty means no file, as in Prometheus' exporters. */
function webConfigFile(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

function allowedHosts(text: string): readonly string[] {
  if (text === "") return [];
  return text.split(",").map((host) => {
    if (/^(?:\[[\da-f:.]+\]|[\w.-]+)$/i.test(host)) return host.toLowerCase();
    throw new UsageError(
      `Cannot serve the host "${host}" (--web.allowed-hosts): expected names or addresses without port, separated by commas, such as exporter.example,[::1]`,
    );
  });
}

function maxRequests(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(
    `Cannot limit scrapes to "${text}" (--web.max-requests): expected an integer from 0 to 999999`,
  );
}

function oneOf<T extends string>(flag: string, allowed: readonly T[], text: string): T {
  const found = allowed.find((value) => value === text);
  if (found === undefined)
    throw new UsageError(`Unknown value "${text}" of --${flag}: expected ${allowed.join(", ")}`);
  return found;
}
