import type { App } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { type Files, systemFiles } from "../../secrets/files.ts";
import type { FollowedFiles } from "../../config/followed-files.ts";
import { redact } from "../../secrets/redact.ts";
import { ownPart } from "../../config/shards/part.ts";
import type { ShardFlags } from "../../config/shards/shard.ts";
import type { Environment } from "../../secrets/secret-source.ts";
import type { Log } from "../../log.ts";
import { loadConfiguration } from "../load-configuration.ts";
import type { Clock } from "../../time/clock.ts";

export interface ReloadDependencies {
  readonly configFile: string;
  readonly env: Environment;
  readonly followed: FollowedFiles;
  readonly log: Log;
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
  { configFile, env, followed, log, flags }: ReloadDependencies,
): Reload {
  let last: readonly string[] = [];
  const load = (files: Files) => loadOnce(configFile, env, files, flags);

  const run = oneAtATime(async () => {
    const app = await started;
    const { config, problems, warnings } = await load(followed.files);
    await app.apply(config);
    last = problems;
    const fields = { config_hash: followed.hash() };
    for (const text of warnings) log.warn({}, text);
    for (const text of last) log.error(fields, text);
    if (last.length > 0) log.error(fields, "Cannot reload; the running configuration is unchanged");
    else log.info({ keys: config?.keys.length, ...fields }, "Configuration reloaded");
    return last;
  });
  return {
    run,
    problems: () => last,
    inspect: async () => (await load(systemFiles)).problems,
  };
}

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
    isTolerant: true,
    problem: (text: string) => void problems.push(redact(text)),
    warning: (text: string) => void warnings.push(text),
  };
  try {
    const own = flags && ((whole: Config) => ownPart(whole, flags, env));
    const config = await loadConfiguration(configFile, env, reporter, files, own);
    return { config, problems, warnings };
  } catch (error) {
    const problem = redact(`${configFile}: cannot be loaded: ${String(error)}`);
    return { config: undefined, problems: [problem], warnings };
  }
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

interface AutoReloadDependencies {
  readonly intervalMs: number;
  readonly clock: Pick<Clock, "after">;
  readonly followed: Pick<FollowedFiles, "change">;
  readonly reload: Reload;
}

/**
 * Reloads the configuration when it changes, until the result is called. A file may be written in pieces, so
 * a change counts once it is the same at two checks. After a failed reload
 * every check inspects the configuration, because a file that it names may come later; it is reloaded when its
 * problems change.
 */
export function startAutoReload({ intervalMs, clock, followed, reload }: AutoReloadDependencies): () => void {
  let [isStopped, cancel] = [false, () => {}];
  let former: string | undefined;

  async function check(): Promise<void> {
    const change = await followed.change();
    const isComplete = change !== undefined && change === former;
    former = change;
    if (isComplete || (change === undefined && (await isMended()))) await reload.run();
  }

  async function isMended(): Promise<boolean> {
    const problems = reload.problems();
    if (problems.length === 0) return false;
    const now = await reload.inspect();
    return now.join("\n") !== problems.join("\n") && (await followed.change()) === undefined;
  }

  function wait(): void {
    cancel = clock.after(intervalMs, () => {
      // No check rejects: a fault is a change, or a problem.
      void check().finally(() => {
        if (!isStopped) wait();
      });
    });
  }

  wait();
  return () => {
    isStopped = true;
    cancel();
  };
}
