import type { App } from "../app.ts";
import { withoutSecrets } from "../config/secret.ts";
import type { Environment } from "../config/secret-source.ts";
import type { Log } from "../log.ts";
import { loadConfiguration, logReporter } from "./load-configuration.ts";

/**
 * Creates the function that loads the configuration again and applies it once the app has started. It returns the
 * problems of the new configuration; if there are any, nothing changes. It never rejects, and reloads run one at a
 * time.
 */
export function createReload(
  started: Promise<Pick<App, "apply">>,
  configFile: string,
  env: Environment,
  log: Log,
): () => Promise<readonly string[]> {
  return oneAtATime(async () => {
    const app = await started;
    const problems: string[] = [];
    const problem = (text: string) => {
      problems.push(withoutSecrets(text));
      log.error({}, text);
    };
    try {
      const next = await loadConfiguration(configFile, env, { ...logReporter(log), problem });
      await app.apply(next);
      if (next) log.info({ keys: next.keys.length }, "Configuration reloaded");
    } catch (error) {
      problem(`${configFile}: cannot be loaded: ${String(error)}`);
      await app.apply(undefined);
    }
    if (problems.length > 0) log.error({}, "Cannot reload; the running configuration is unchanged");
    return problems;
  });
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
