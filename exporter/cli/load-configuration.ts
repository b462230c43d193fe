import type { Config } from "../config/config.ts";
import { type Files, NO_FILE, systemFiles } from "../secrets/files.ts";
import { loadConfig } from "../config/load.ts";
import { formatProblem } from "../config/problem.ts";
import { redact } from "../secrets/redact.ts";
import type { OwnPart } from "../config/shards/part.ts";
import type { Environment } from "../secrets/secret-source.ts";
import { loadWebConfig } from "../config/web/load.ts";
import type { Log } from "../log.ts";
import { DAY_MS } from "../time/window.ts";
import { capacityWarnings, scheduleWarnings } from "./configuration-warnings.ts";
import { DEFAULT_CONFIG_FILE } from "./command-line/program.ts";
import type { Terminal } from "./terminal.ts";
import type { WebConfig } from "../config/web/schema.ts";

/** Reports what is wrong, or questionable, with a configuration: one line each, without secrets. */
export interface ProblemReporter {
  /** Whether a secret that cannot be read is only a warning. */
  readonly isTolerant?: boolean;
  problem(text: string): void;
  warning(text: string): void;
}

/**
 * Returns the configuration, or undefined after reporting every problem. With `partOf`, it is the part of it
 * that the command uses.
 */
export async function loadConfiguration(
  path: string,
  env: Environment,
  reporter: ProblemReporter,
  files: Files = systemFiles,
  partOf?: (whole: Config) => OwnPart,
): Promise<Config | undefined> {
  const loaded = await loadConfig({ path, ...files, env, isTolerant: reporter.isTolerant });
  const part = loaded.ok && partOf ? partOf(loaded.config) : loaded;
  if (!part.ok) {
    for (const problem of part.problems) reporter.problem(formatProblem(path, problem));
    if (part.problems[0]?.message === NO_FILE && path === DEFAULT_CONFIG_FILE)
      reporter.problem("It is read from the working directory, unless --config.file names another file");
    return undefined;
  }
  const warnings = loaded.ok ? loaded.warnings : [];
  const { config } = part;
  const { baseUrl } = config.gateway;
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0" && baseUrl.startsWith("https:")) {
    reporter.problem(
      `NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone between the exporter and ${baseUrl} read the keys. ` +
        "Unset it; to trust an authority of your own, name its certificate in NODE_EXTRA_CA_CERTS",
    );
    return undefined;
  }
  for (const warning of [...warnings, ...scheduleWarnings(config), ...capacityWarnings(config)]) {
    reporter.warning(`${path}: ${warning}`);
  }
  return config;
}

/** Does the same for the web configuration. Without a file, the exporter serves plain HTTP to everyone. */
export async function loadWebConfiguration(
  path: string | undefined,
  reporter: ProblemReporter,
): Promise<WebConfig | undefined> {
  if (path === undefined) return { tls: undefined, headers: new Map(), users: new Map() };
  const loaded = await loadWebConfig(path, systemFiles);
  if (loaded.ok) {
    const { tls, users } = loaded.config;
    if (!tls && users.size === 0) {
      reporter.warning(`${path}: sets neither TLS nor users: everyone can read the metrics over plain HTTP`);
    }
    const days = Math.floor(((tls?.certificateEndMs ?? Infinity) - Date.now()) / DAY_MS);
    if (days < SOON_DAYS)
      reporter.warning(
        `${path}: tls_server_config.cert_file: the certificate ${days < 0 ? "has expired" : `expires in less than ${days + 1} days`}`,
      );
    return loaded.config;
  }
  for (const problem of loaded.problems) reporter.problem(formatProblem(path, problem));
  return undefined;
}

const SOON_DAYS = 14;

/** Reports on standard error, for a person. */
export function terminalReporter({ stderr }: Pick<Terminal, "stderr">): ProblemReporter {
  return {
    problem: (text) => stderr.write(`${redact(text)}\n`),
    warning: (text) => stderr.write(`warning: ${redact(text)}\n`),
  };
}

/** Reports in the log, for the daemon. */
export function logReporter(log: Log): ProblemReporter {
  return {
    isTolerant: true,
    problem: (text) => log.error({}, text),
    warning: (text) => log.warn({}, text),
  };
}
