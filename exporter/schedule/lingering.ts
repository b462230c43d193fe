import type { ReadingStore } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import type { Clock } from "../time/clock.ts";
import { createAgenda } from "./agenda.ts";
import type { Job } from "./job.ts";
import type { Plan } from "./plan.ts";

/**
 * Targets that another process polls now. They stay as they are until their values expire, because the other
 * process may not have begun yet.
 */
export interface Lingering {
  /**
   * Another plan: removes targets that nobody polls any more, and forgets those that the plan has again.
   * `timeToLiveMs`: how long a target without values stays from now on.
   */
  review(plan: Pick<Plan, "groups" | "isElsewhere">, timeToLiveMs: number): void;
  /** Whether a job that has left the plan lingers; otherwise its readings must be removed. */
  keeps(job: Job): boolean;
  isAny(): boolean;
  stop(): void;
}

/** A target whose values have expired would not be up. Readings are left out up to 5 s before they expire. */
const MARGIN_MS = 6000;

/** `onEnd` is called after targets have been removed. */
export function createLingering(
  clock: Clock,
  readings: Pick<ReadingStore, "shown" | "remove">,
  onEnd: () => void,
): Lingering {
  const jobs = new Map<TargetId, Job>();
  let isElsewhere = ofNobody;
  let emptyLastsMs = 0;
  const agenda = createAgenda(clock, (entries) => {
    for (const { id } of entries) end(id);
    onEnd();
  });

  function end(id: TargetId): void {
    jobs.delete(id);
    readings.remove(id);
  }

  return {
    review: ({ groups, isElsewhere: next = ofNobody }, timeToLiveMs) => {
      [isElsewhere, emptyLastsMs] = [next, timeToLiveMs];
      if (jobs.size === 0) return;
      const planned = new Set(groups.flatMap((group) => group.jobs.map(({ id }) => id)));
      for (const job of jobs.values()) {
        if (planned.has(job.id)) jobs.delete(job.id);
        else if (!isElsewhere(job)) end(job.id);
      }
      agenda.remove((id) => !jobs.has(id));
    },
    keeps: (job) => {
      if (!isElsewhere(job)) return false;
      const leftMs = readings.shown(job.id)?.leftMs;
      const lastsMs = leftMs === undefined ? emptyLastsMs : Math.max(0, leftMs - MARGIN_MS);
      jobs.set(job.id, job);
      agenda.add([{ id: job.id, at: clock.monotonic() + lastsMs }]);
      return true;
    },
    isAny: () => jobs.size > 0,
    stop: () => agenda.remove(() => true),
  };
}

const ofNobody: NonNullable<Plan["isElsewhere"]> = () => false;
