import type { Endpoint } from "../gateway/port.ts";
import type { TargetId } from "../readings/target-id.ts";

/** The jobs of one endpoint that are due and wait for a permit. */
export interface RunQueue {
  /**
   * Adds a job of a group. A job that is already waiting keeps its earlier time. `leastMs` is the job's own interval,
   * if it is longer than the group's.
   */
  add(id: TargetId, dueAt: number, group: string, leastMs?: number): void;
  /**
   * The job that is most overdue in relation to its interval, so that a job served late
   * is served first the next time and none starves. It stays in the queue. `intervalOf` returns the present effective
   * interval of a group: with a shorter one, jobs with a longer interval would starve.
   */
  next(now: number, intervalOf: (group: string) => number): QueuedJob | undefined;
  remove(id: TargetId): void;
  /** When the longest-waiting job became due; undefined: no job is waiting. */
  oldest(): number | undefined;
}

export interface QueuedJob {
  readonly id: TargetId;
  /** On the monotonic clock, milliseconds. */
  readonly dueAt: number;
}

export type RunQueues = Readonly<Record<Endpoint, RunQueue>>;

/** One queue for each endpoint. */
export function createRunQueues(): RunQueues {
  return {
    key: createRunQueue(),
    analytics: createRunQueue(),
    account: createRunQueue(),
    transcription: createRunQueue(),
  };
}

export function createRunQueue(): RunQueue {
  /** By group and own interval. Jobs become due in order of time, so the first of a line is its most overdue. */
  const lines = new Map<string, Line>();
  const queued = new Map<TargetId, QueuedJob>();

  function firstOf(line: Line): QueuedJob | undefined {
    const { jobs } = line;
    for (let first = jobs[line.head]; first && queued.get(first.id) !== first; first = jobs[line.head])
      line.head++;
    if (line.head * 2 > jobs.length) line.head -= jobs.splice(0, line.head).length;
    return jobs[line.head];
  }

  return {
    add: (id, dueAt, group, leastMs = 0) => {
      if (queued.has(id)) return;
      const name = `${group} ${leastMs}`;
      const line = lines.get(name) ?? { group, leastMs, jobs: [], head: 0 };
      const job = { id, dueAt };
      lines.set(name, line);
      line.jobs.push(job);
      queued.set(id, job);
    },
    next: (now, intervalOf) => {
      let best: QueuedJob | undefined;
      let longest = Number.NEGATIVE_INFINITY;
      for (const line of lines.values()) {
        const first = firstOf(line);
        if (!first) continue;
        const overdue = (now - first.dueAt) / Math.max(intervalOf(line.group), line.leastMs);
        if (overdue > longest) [best, longest] = [first, overdue];
      }
      return best;
    },
    remove: (id) => void queued.delete(id),
    oldest: () => {
      const firsts = [...lines.values()].flatMap((line) => firstOf(line)?.dueAt ?? []);
      return firsts.length === 0 ? undefined : Math.min(...firsts);
    },
  };
}

interface Line {
  readonly group: string;
  readonly leastMs: number;
  /** Those before `head`, and those that are not queued any more, have been removed. */
  readonly jobs: QueuedJob[];
  head: number;
}
