import type { Reading } from "../readings/reading.ts";
import type { Failure, ReadingStore } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import { yieldToEventLoop } from "../time/event-loop.ts";
import type { Job, DiscoveredTarget, Discovery } from "./job.ts";

/** The targets that appear and vanish with the answers of a job, instead of with the configuration. */
export interface DiscoveredTargets {
  /**
   * Stores what an answer contains, part by part, and removes what it proves to be gone. Returns the number of series
   * that found no room. @throws the signal's reason if the run is aborted.
   */
  store(job: Job, list: Discovery, answer: DiscoveryAnswer): Promise<number>;
  /** The job failed: what it showed remains for its time to live, but is not up. */
  fail(job: Job, failure: Failure, signal: AbortSignal): Promise<void>;
  /**
   * Removes the targets of a job whose names belong to other configured targets than before; all of them if
   * it has left the plan.
   */
  readonly release: (former: Job, present: Job | undefined) => void;
  /** Shows the description of a target. */
  readonly describe: (id: TargetId) => void;
}

export interface DiscoveryAnswer {
  readonly reading: Omit<Reading, "value">;
  /** When the run began, monotonic milliseconds. */
  readonly requestedAt: number;
  readonly signal: AbortSignal;
}

/** What is kept of a target beside its readings. */
interface Known extends Pick<DiscoveredTarget, "id" | "name" | "describe"> {
  /** The job whose answer contains it. */
  readonly listedBy: TargetId;
}

/** Handling this many targets takes about as long as rendering one slice. */
const PART = 50;

export function createDiscoveredTargets(readings: ReadingStore): DiscoveredTargets {
  const known = new Map<TargetId, Known>();
  const listedBy = ({ id }: Job) => [...known.values()].filter((target) => target.listedBy === id);

  function remove(id: TargetId): void {
    known.delete(id);
    readings.remove(id);
  }

  /** Removes the targets that an answer proves to be gone, replaced or renamed: no rendering may contain a name twice. */
  function removeFormer(job: Job, { targets, proves }: Discovery): void {
    const present = new Map(targets.map(({ id, name }) => [id, name]));
    const names = new Set(targets.map(nameInKind));
    for (const target of known.values()) {
      const { id } = target;
      const [isOwn, name] = [target.listedBy === job.id, present.get(id)];
      const isGone = proves === "all" || (proves === "expired" && !readings.isCurrent(id));
      // A key whose secret was replaced has another hash and the same name, and may be in another list than before.
      const isReplaced = names.has(nameInKind(target));
      const isFormer =
        name === undefined ? (isOwn && isGone) || isReplaced : name !== target.name || (!isOwn && isReplaced);
      if (isFormer) remove(id);
    }
  }

  function show(target: Known): void {
    const status = readings.status(target.id);
    if (status) readings.describe(target.id, target.describe(status));
  }

  async function store(job: Job, list: Discovery, { reading, requestedAt, signal }: DiscoveryAnswer) {
    removeFormer(job, list);
    let refused = 0;
    for (const [index, target] of list.targets.entries()) {
      if (index % PART === 0) {
        await yieldToEventLoop();
        signal.throwIfAborted();
      }
      const { id, name, behind, value, describe } = target;
      const kept = { id, name, describe, listedBy: job.id };
      known.set(id, kept);
      readings.configure(id, job.identity, behind);
      const samples = target.samples();
      if (!readings.store(id, { ...reading, value }, samples, requestedAt)) refused += samples.length;
      const { requestedAtMs } = reading;
      readings.update(id, { ...GOOD, lastAttemptMs: requestedAtMs, lastSuccessMs: requestedAtMs });
      show(kept);
    }
    return refused;
  }

  return {
    store,
    fail: async (job, failure, signal) => {
      for (const [index, target] of listedBy(job).entries()) {
        if (index % PART === 0) await yieldToEventLoop();
        if (signal.aborted) return;
        readings.update(target.id, { up: false, failure });
        show(target);
      }
    },
    release: (former, present) => {
      const isSame = present?.identity === former.identity;
      const isKept = ({ name }: Known) =>
        present?.reservedNames?.get(name) === former.reservedNames?.get(name);
      for (const target of listedBy(former)) if (!isSame || !isKept(target)) remove(target.id);
    },
    describe: (id) => {
      const target = known.get(id);
      if (target) show(target);
    },
  };
}

function nameInKind({ id, name }: Pick<Known, "id" | "name">): string {
  return `${id.slice(0, id.indexOf("/"))} ${name}`;
}

const GOOD = { up: true, attempted: true, failure: undefined } as const;
