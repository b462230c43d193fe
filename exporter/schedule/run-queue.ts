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
   * Of the jobs that may begin, the one that is most overdue in relation to its interval, so that a job served late
   * is served first the next time and none starves. It stays in the queue. `intervalOf` returns the present effective
   * interval of a group: if it were shorter than the time that serving all jobs takes, or the one of an earlier
   * configuration for jobs that wait since then, jobs with a longer interval would starve.
   */
  next(
    now: number,
    mayBegin: (id: TargetId) => boolean,
    intervalOf: (group: string) => number,
  ): QueuedJob | undefined;
  remove(id: TargetId): void;
  /** When the longest-waiting job became due; undefined: no job is waiting. */
  oldest(): number | undefined;
  /** All waiting jobs, in no particular order. */
  ids(): Iterable<TargetId>;
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
  const queued = new Map<TargetId, QueuedJob>();
  /** By group and own interval. Within a line the job that has waited longest is the most overdue. */
  const lines = new Map<string, Line>();

  /** The first job of a line that may begin. Drops removed jobs on the way. */
  function firstOf(line: Line, mayBegin: (id: TargetId) => boolean): QueuedJob | undefined {
    while (line.head < line.jobs.length && !isQueued(line.jobs[line.head])) line.head++;
    if (line.head > line.jobs.length / 2) {
      line.jobs.splice(0, line.head);
      line.head = 0;
    }
    for (let index = line.head; index < line.jobs.length; index++) {
      const job = line.jobs[index];
      if (job && isQueued(job) && mayBegin(job.id)) return job;
    }
    return undefined;
  }

  function isQueued(job: QueuedJob | undefined): boolean {
    return job !== undefined && queued.get(job.id) === job;
  }

  return {
    add: (id, dueAt, group, leastMs = 0) => {
      if (queued.has(id)) return;
      const job = { id, dueAt };
      const name = leastMs === 0 ? group : `${group} ${leastMs}`;
      const line = lines.get(name) ?? { group, leastMs, jobs: [], head: 0 };
      lines.set(name, line);
      insert(line, job);
      queued.set(id, job);
    },
    next: (now, mayBegin, intervalOf) => {
      let best: QueuedJob | undefined;
      let longest = Number.NEGATIVE_INFINITY;
      for (const line of lines.values()) {
        const first = firstOf(line, mayBegin);
        if (!first) continue;
        if (lines.size === 1) return first;
        const overdue = (now - first.dueAt) / Math.max(intervalOf(line.group), line.leastMs);
        if (overdue > longest) [best, longest] = [first, overdue];
      }
      return best;
    },
    remove: (id) => void queued.delete(id),
    oldest: () => {
      let oldest: number | undefined;
      for (const line of lines.values()) {
        const dueAt = firstOf(line, ANY)?.dueAt;
        if (dueAt !== undefined && dueAt < (oldest ?? Number.POSITIVE_INFINITY)) oldest = dueAt;
      }
      return oldest;
    },
    ids: () => queued.keys(),
  };
}

const ANY = () => true;

interface Line {
  readonly group: string;
  readonly leastMs: number;
  /** Sorted by time. */
  readonly jobs: QueuedJob[];
  /** Index of the first entry that is still in the queue. */
  head: number;
}

/** Nearly always at the end, because jobs become due in order of time. */
function insert({ jobs, head }: Line, job: QueuedJob): void {
  let index = jobs.length;
  while (index > head && (jobs[index - 1]?.dueAt ?? 0) > job.dueAt) index--;
  jobs.splice(index, 0, job);
}
