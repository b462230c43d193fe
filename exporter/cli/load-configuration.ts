import { capacityWarnings } from "./capacity.ts";
import type { Config } from "../config/config.ts";
import { systemFiles } from "../config/files.ts";
import { loadConfig } from "../config/load.ts";
import { formatProblem } from "../config/problem.ts";
import type { Environment } from "../config/secret-source.ts";
import type { WebConfig } from "../config/web/web-config.ts";
import { loadWebConfig } from "../config/web/load.ts";

/** Takes what is wrong, or questionable, with a configuration; one line each, without secrets. */
export interface Say {
  problem(text: string): void;
  warning(text: string): void;
}

/** The configuration, or undefined after every problem was said. */
export async function loadConfiguration(
  path: string,
  env: Environment,
  say: Say,
): Promise<Config | undefined> {
  const loaded = await loadConfig({ path, ...systemFiles, env });
  if (!loaded.ok) {
    for (const problem of loaded.problems) say.problem(formatProblem(path, problem));
    return undefined;
  }
  for (const warning of [...loaded.warnings, ...capacityWarnings(loaded.config)]) {
    say.warning(`${path}: ${warning}`);
  }
  return loaded.config;
}

/** The web configuration, likewise; without a file it is one that asks nothing of anybody. */
export async function loadWebConfiguration(
  path: string | undefined,
  say: Say,
): Promise<WebConfig | undefined> {
  if (path === undefined) return { tls: undefined, headers: new Map(), users: new Map() };
  const loaded = await loadWebConfig(path, systemFiles);
  if (loaded.ok) return loaded.config;
  for (const problem of loaded.problems) say.problem(formatProblem(path, problem));
  return undefined;
}
