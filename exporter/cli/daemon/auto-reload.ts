import type { FollowedFiles } from "../../config/followed-files.ts";
import type { Clock } from "../../time/clock.ts";
import { parseDuration } from "../../time/duration.ts";
import { DAY_MS } from "../../time/window.ts";
import type { Reload } from "./reload.ts";
import { UsageError } from "../command-line/usage-error.ts";

export interface AutoReloadDependencies {
  readonly intervalMs: number;
  readonly clock: Pick<Clock, "after">;
  readonly followed: Pick<FollowedFiles, "change">;
  readonly reload: Reload;
}

/**
 * Reloads the configuration when it changes, until the result is called. A file may be written in pieces, so
 * a change counts once it is the same at two checks. After a failed reload the configuration is inspected
 * again and again, because a file that it names may come later; it is reloaded, and its problems are logged,
 * when they change.
 */
export function startAutoReload({ intervalMs, clock, followed, reload }: AutoReloadDependencies): () => void {
  let [isStopped, cancel] = [false, () => {}];
  let former: string | undefined;
  const pause = createPause();

  async function check(): Promise<void> {
    const change = await followed.change();
    const isComplete = change !== undefined && change === former;
    former = change;
    if (isComplete || (change === undefined && (await isMended()))) {
      pause.reset();
      await reload.run();
    }
  }

  async function isMended(): Promise<boolean> {
    const problems = reload.problems();
    if (problems.length === 0 || !pause.isOver()) return false;
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

/** The checks between two inspections double, because an inspection reads every secret. */
function createPause() {
  let [length, left] = [1, 1];
  return {
    reset: () => {
      [length, left] = [1, 1];
    },
    isOver: () => {
      if (--left > 0) return false;
      length = Math.min(length * 2, LONGEST_PAUSE);
      left = length;
      return true;
    },
  };
}

const LONGEST_PAUSE = 12;

/**
 * Milliseconds of `--config.auto-reload-interval`; 0 is never.
 * @throws UsageError
 */
export function autoReloadInterval(text: string): number {
  const milliseconds = parseDuration(text);
  const isUsable = milliseconds === 0 || (milliseconds !== undefined && milliseconds >= 1000);
  if (isUsable && milliseconds <= DAY_MS) return milliseconds;
  throw new UsageError(
    `Cannot look for changes every "${text}" (--config.auto-reload-interval): expected a duration from 1s to 1d, or 0s to reload on request only`,
  );
}
