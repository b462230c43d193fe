import type { Release } from "./dispatcher.ts";
import type { Job } from "./job.ts";
import type { JobRunner, RunEnd } from "./job-runner.ts";
import type { Entry, Run } from "./job-table.ts";

/** The runs in progress, including those of earlier plans. */
export interface ActiveRuns {
  /** Begins a run of a job with its first permit. */
  begin(entry: Entry, release: Release): void;
  /** Aborts the runs that match and waits until they have ended. */
  abort(matches: (run: Run) => boolean): Promise<void>;
  readonly isEmpty: boolean;
}

/** `onEnd` is called for each run that has ended, whatever its outcome. */
export function createActiveRuns(
  runner: JobRunner,
  onEnd: (job: Job, run: Run, end: RunEnd) => void,
): ActiveRuns {
  const runs = new Set<Run>();
  return {
    begin: (entry, release) => {
      const { job, group } = entry;
      const aborter = new AbortController();
      const abort = (reason: Error) => aborter.abort(reason);
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const run: Run = { isRepeated: false, abort, ended };
      // Registered before it begins, because the job may become due during its first synchronous steps.
      entry.run = run;
      runs.add(run);
      void runner.run(job, group, release, aborter).then((end) => {
        runs.delete(run);
        onEnd(job, run, end);
        resolve();
      });
    },
    abort: async (matches) => {
      const matching = [...runs].filter(matches);
      for (const run of matching) run.abort(new AbortedError());
      await Promise.all(matching.map(({ ended }) => ended));
    },
    get isEmpty() {
      return runs.size === 0;
    },
  };
}

/** The reason for aborting a request whose result is no longer needed. */
class AbortedError extends Error {
  override readonly name = "AbortedError";

  constructor() {
    super("The exporter stops, or its configuration has changed");
  }
}
