import { isDeepStrictEqual } from "node:util";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import type { Job, JobGroup, Plan } from "./job.ts";

/** The jobs of the current plan and their state. */
export interface JobTable {
  readonly plan: Plan;
  get(id: TargetId): Entry | undefined;
  entries(): Iterable<Entry>;
  /** The entries of a group; none if there is no such group. */
  ofGroup(name: string): readonly Entry[];
  /** Replaces the plan. An unchanged job keeps its run. */
  replace(plan: Plan): Replacement;
}

export interface Entry {
  readonly job: Job;
  readonly group: JobGroup;
  /** When the target was added, monotonic milliseconds. */
  readonly addedAt: number;
  /** When the last run began, monotonic milliseconds; undefined before the first. */
  beganAt: number | undefined;
  run: Run | undefined;
  /** When the job runs again before its next tick, monotonic milliseconds. */
  againAt: number | undefined;
  /** Whether the last run lacked answers of other jobs. */
  isEarly: boolean;
  /** Number of consecutive failures that were followed by an early retry. */
  failures: number;
}

/** The run in progress. */
export interface Run {
  /** Whether the job must run once more after this run. */
  isRepeated: boolean;
  readonly abort: () => void;
  readonly ended: Promise<void>;
}

export interface Replacement {
  /** Jobs of the previous plan that were removed or changed. */
  readonly former: readonly Job[];
  /**
   * Jobs to run at once: new and changed ones, and those with another schedule, because its first tick may be far
   * away.
   */
  readonly due: readonly Entry[];
  /** Runs that continue. */
  readonly kept: ReadonlySet<Run>;
}

export function createJobTable(initial: Plan, clock: Pick<Clock, "monotonic">): JobTable {
  let plan = initial;
  let entries = entriesOf(initial, clock.monotonic());
  let groups = Map.groupBy(entries.values(), ({ group }) => group.name);

  function replace(next: Plan): Replacement {
    const before = entries;
    // Another gateway configuration sends requests differently, so runs with the previous client start over.
    const isSameGateway = next.gateway === plan.gateway;
    [plan, entries] = [next, entriesOf(next, clock.monotonic())];
    groups = Map.groupBy(entries.values(), ({ group }) => group.name);
    const former = new Set([...before.values()].map(({ job }) => job));
    const due: Entry[] = [];
    const kept = new Set<Run>();
    for (const entry of entries.values()) {
      const old = before.get(entry.job.id);
      // Its readings are kept as well.
      if (old?.job.identity === entry.job.identity)
        Object.assign(entry, { addedAt: old.addedAt, beganAt: old.beganAt });
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
    ofGroup: (name) => groups.get(name) ?? [],
    replace,
  };
}

function entriesOf({ groups }: Plan, addedAt: number): ReadonlyMap<TargetId, Entry> {
  const state = {
    addedAt,
    beganAt: undefined,
    run: undefined,
    againAt: undefined,
    isEarly: false,
    failures: 0,
  };
  return new Map(groups.flatMap((group) => group.jobs.map((job) => [job.id, { job, group, ...state }])));
}

function isSame(one: Job, other: Job): boolean {
  return one.identity === other.identity && one.fingerprint === other.fingerprint;
}
