import { isDeepStrictEqual } from "node:util";
import type { TargetId } from "../readings/target-id.ts";
import type { Job } from "./job.ts";
import type { JobGroup, Plan } from "./plan.ts";

/** The jobs of the present plan, and what each is doing. */
export interface JobTable {
  readonly plan: Plan;
  get(id: TargetId): Entry | undefined;
  entries(): Iterable<Entry>;
  /** Takes over the jobs of another plan. A job that was not changed keeps its run. */
  replace(plan: Plan): Replacement;
}

export interface Entry {
  readonly job: Job;
  readonly group: JobGroup;
  run: Run | undefined;
  /** When the job is asked again before its next tick, monotonic milliseconds. */
  againAt: number | undefined;
  /** Failures in a row that were followed by an early retry. */
  failures: number;
}

/** A run under way. */
export interface Run {
  /** Whether the job is to run once more after this run. */
  isRepeated: boolean;
  readonly abort: (reason: Error) => void;
  readonly ended: Promise<void>;
}

export interface Replacement {
  /** Jobs of the former plan that are gone or changed. */
  readonly former: readonly Job[];
  /** Jobs to run at once: new and changed ones, and those whose schedule has changed, since its first tick may be far away. */
  readonly due: readonly Entry[];
  /** Runs that go on. */
  readonly kept: ReadonlySet<Run>;
}

export function createJobTable(initial: Plan): JobTable {
  let plan = initial;
  let entries = entriesOf(initial);

  function replace(next: Plan): Replacement {
    const before = entries;
    // Another client asks in another way, so what asks by the former one starts over.
    const isSameGateway = next.gateway === plan.gateway;
    [plan, entries] = [next, entriesOf(next)];
    const former = new Set([...before.values()].map(({ job }) => job));
    const due: Entry[] = [];
    const kept = new Set<Run>();
    for (const entry of entries.values()) {
      const old = before.get(entry.job.id);
      if (old && isSame(old.job, entry.job) && (isSameGateway || !old.run)) {
        former.delete(old.job);
        if (old.run) kept.add(old.run);
        Object.assign(entry, { run: old.run, againAt: old.againAt, failures: old.failures });
        if (isDeepStrictEqual(old.group.expression, entry.group.expression)) continue;
      }
      due.push(entry);
    }
    return { former: [...former], due, kept };
  }

  return {
    get plan() {
      return plan;
    },
    get: (id) => entries.get(id),
    entries: () => entries.values(),
    replace,
  };
}

function entriesOf({ groups }: Plan): ReadonlyMap<TargetId, Entry> {
  return new Map(
    groups.flatMap((group) =>
      group.jobs.map((job) => [job.id, { job, group, run: undefined, againAt: undefined, failures: 0 }]),
    ),
  );
}

function isSame(one: Job, other: Job): boolean {
  return one.identity === other.identity && one.fingerprint === other.fingerprint;
}
