import type { App } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { type Files, systemFiles } from "../../config/files.ts";
import type { FollowedFiles } from "../../config/followed-files.ts";
import { withoutSecrets } from "../../config/secret.ts";
import { ownPart } from "../../config/shards/part.ts";
import type { ShardFlags } from "../../config/shards/shard.ts";
import type { Environment } from "../../config/secret-source.ts";
import type { LineLimiter } from "../../log.ts";
import { loadConfiguration } from "../load-configuration.ts";

export interface ReloadDependencies {
  readonly configFile: string;
  readonly env: Environment;
  readonly followed: FollowedFiles;
  readonly limiter: Pick<LineLimiter, "write">;
  readonly flags?: ShardFlags;
}

export interface Reload {
  /**
   * Loads the configuration again and applies it once the app has started. Returns the problems of the new
   * configuration; if there are any, nothing changes. It never rejects, and reloads run one at a time.
   */
  readonly run: () => Promise<readonly string[]>;
  /** The problems of the last reload; empty after a success, and before the first one. */
  readonly problems: () => readonly string[];
  /** The problems that a reload would have now. */
  readonly inspect: () => Promise<readonly string[]>;
}

/** Creates the reload of a configuration file, for signals, requests and the automatic reload. */
export function createReload(
  started: Promise<Pick<App, "apply">>,
  { configFile, env, followed, limiter, flags }: ReloadDependencies,
): Reload {
  let last: readonly string[] = [];
  const load = (files: Files) => loadOnce(configFile, env, files, flags);

  /** A configuration that changes while it is read may be half of one, so it is read again. */
  async function loadWhole(): Promise<Loaded> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const loaded = await load(followed.files);
      if ((await followed.change()) === undefined) return loaded;
    }
    const problem = `${configFile}: changes while it is read; reload it when it is complete`;
    return { config: undefined, problems: [problem], warnings: [] };
  }

  const run = oneAtATime(async () => {
    const app = await started;
    const { config, problems, warnings } = await loadWhole();
    const failed = await app.apply(config).then(
      () => [],
      (error: unknown) => [unexpected(configFile, error)],
    );
    if (failed.length > 0) await app.apply(undefined);
    last = [...problems, ...failed];
    const fields = { config_hash: followed.hash() };
    for (const text of warnings) limiter.write("warn", "warning about the configuration", {}, text);
    for (const text of last) limiter.write("error", "problem of the configuration", fields, text);
    if (last.length > 0)
      limiter.write(
        "error",
        "failed reload",
        fields,
        "Cannot reload; the running configuration is unchanged",
      );
    else limiter.write("info", "reload", { keys: config?.keys.length, ...fields }, "Configuration reloaded");
    return last;
  });
  return {
    run,
    problems: () => last,
    inspect: async () => (await load(systemFiles)).problems,
  };
}

const ATTEMPTS = 3;

interface Loaded {
  /** Undefined if there are problems. */
  readonly config: Config | undefined;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

async function loadOnce(
  configFile: string,
  env: Environment,
  files: Files,
  flags: ShardFlags | undefined,
): Promise<Loaded> {
  const [problems, warnings]: [string[], string[]] = [[], []];
  const reporter = {
    problem: (text: string) => void problems.push(withoutSecrets(text)),
    warning: (text: string) => void warnings.push(text),
  };
  try {
    const own = flags && ((whole: Config) => ownPart(whole, flags, env));
    const config = await loadConfiguration(configFile, env, reporter, files, own);
    return { config, problems, warnings };
  } catch (error) {
    return { config: undefined, problems: [unexpected(configFile, error)], warnings };
  }
}

function unexpected(configFile: string, error: unknown): string {
  return withoutSecrets(`${configFile}: cannot be loaded: ${String(error)}`);
}

/** Runs one at a time. All calls made during a run share the next one. */
export function oneAtATime<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= current.then(() => {
      next = undefined;
      const mine = run();
      current = mine.catch(() => {});
      return mine;
    });
    return next;
  };
}
