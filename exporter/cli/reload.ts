import type { App } from "../app.ts";
import { withoutSecrets } from "../config/secret.ts";
import type { Environment } from "../config/secret-source.ts";
import type { LineLimiter } from "../log.ts";
import { loadConfiguration } from "./load-configuration.ts";

/**
 * Creates the function that loads the configuration again and applies it once the app has started. It returns the
 * problems of the new configuration; if there are any, nothing changes. It never rejects, and reloads run one at a
 * time.
 */
export function createReload(
  started: Promise<Pick<App, "apply">>,
  configFile: string,
  env: Environment,
  limiter: Pick<LineLimiter, "write">,
): () => Promise<readonly string[]> {
  return oneAtATime(async () => {
    const app = await started;
    const problems: string[] = [];
    const problem = (text: string) => {
      problems.push(withoutSecrets(text));
      limiter.write("error", "problem of the configuration", {}, text);
    };
    const warning = (text: string) => limiter.write("warn", "warning about the configuration", {}, text);
    try {
      const next = await loadConfiguration(configFile, env, { problem, warning });
      await app.apply(next);
      if (next) limiter.write("info", "reload", { keys: next.keys.length }, "Configuration reloaded");
    } catch (error) {
      problem(`${configFile}: cannot be loaded: ${String(error)}`);
      await app.apply(undefined);
    }
    if (problems.length > 0)
      limiter.write("error", "failed reload", {}, "Cannot reload; the running configuration is unchanged");
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
