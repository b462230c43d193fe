import type { GatewayError } from "../gateway/errors.ts";
import type { Reading } from "../readings/reading.ts";
import type { ReadingStore } from "../readings/readings.ts";
import type { TargetId } from "../readings/target-id.ts";
import { nextTurn } from "../time/turns.ts";
import type { Job, Member, MemberList } from "./job.ts";

/** The targets that appear and vanish with the answers of a job, instead of with the configuration. */
export interface Members {
  /**
   * Stores what an answer contains, part by part, and removes what it proves to be gone. Returns the number of series
   * that found no room. @throws the signal's reason if the run is aborted.
   */
  learn(job: Job, list: MemberList, answer: MembersAnswer): Promise<number>;
  /** The job failed: what it showed remains for its time to live, but is not up. */
  fail(job: Job, error: GatewayError, signal: AbortSignal): Promise<void>;
  /**
   * Removes the members of a job whose names belong to other configured targets than before; all of them if
   * it has left the plan.
   */
  readonly release: (former: Job, present: Job | undefined) => void;
  /** Shows the description of a member. */
  describe(id: TargetId): void;
}

export interface MembersAnswer {
  readonly reading: Omit<Reading, "value">;
  /** When the run began, monotonic milliseconds. */
  readonly askedAt: number;
  readonly signal: AbortSignal;
}

/** What is kept of a member beside its readings. */
type Known = Pick<Member, "id" | "name" | "describe">;

/** As many members take about as long as a part of a rendering. */
const PART = 50;

export function createMembers(readings: ReadingStore): Members {
  const known = new Map<TargetId, Map<TargetId, Known>>();

  function membersOf(job: Job): Map<TargetId, Known> {
    const members = known.get(job.id) ?? new Map<TargetId, Known>();
    known.set(job.id, members);
    return members;
  }

  function remove(members: Map<TargetId, Known>, id: TargetId): void {
    members.delete(id);
    readings.remove(id);
  }

  /** Removes the members that are missing in an answer, as far as it proves that they are gone or replaced. */
  function removeGone(
    members: Map<TargetId, Known>,
    { members: listed, proves }: MemberList,
    names: ReadonlySet<string>,
  ): void {
    const present = new Set(listed.map(({ id }) => id));
    for (const member of members.values()) {
      const { id } = member;
      if (present.has(id)) continue;
      const isGone = proves === "all" || (proves === "expired" && !readings.isCurrent(id));
      // A key whose secret was replaced has another hash and the same name.
      if (isGone || names.has(nameInKind(member))) remove(members, id);
    }
  }

  function show(member: Known): void {
    const status = readings.status(member.id);
    if (status) readings.describe(member.id, member.describe(status));
  }

  async function learn(job: Job, list: MemberList, { reading, askedAt, signal }: MembersAnswer) {
    const members = membersOf(job);
    const names = new Set(list.members.map(nameInKind));
    removeGone(members, list, names);
    // The new secret of a key may be in another list than the former one.
    for (const others of known.values()) {
      if (others === members) continue;
      for (const member of others.values()) if (names.has(nameInKind(member))) remove(others, member.id);
    }
    // Two targets may have swapped their names: no rendering may contain a name twice.
    for (const { id, name } of list.members) {
      if (members.has(id) && members.get(id)?.name !== name) remove(members, id);
    }
    let refused = 0;
    for (const [index, member] of list.members.entries()) {
      if (index % PART === 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
      const { id, name, behind, value } = member;
      members.set(id, { id, name, describe: member.describe });
      readings.configure(id, job.identity, behind);
      const samples = member.samples();
      if (!readings.learn(id, { ...reading, value }, samples, askedAt)) refused += samples.length;
      const { askedAtMs } = reading;
      readings.update(id, { ...GOOD, lastAttemptMs: askedAtMs, lastSuccessMs: askedAtMs });
      show(member);
    }
    return refused;
  }

  return {
    learn,
    fail: async (job, { kind: reason, message }, signal) => {
      const failure = { reason, message };
      for (const [index, member] of [...membersOf(job).values()].entries()) {
        if (index % PART === 0) await nextTurn();
        if (signal.aborted) return;
        readings.update(member.id, { up: false, failure });
        show(member);
      }
    },
    release: (former, present) => {
      const members = membersOf(former);
      const isSame = present?.identity === former.identity;
      const isKept = ({ name }: Known) =>
        present?.reservedNames?.get(name) === former.reservedNames?.get(name);
      for (const member of members.values()) if (!isSame || !isKept(member)) remove(members, member.id);
      if (!present) known.delete(former.id);
    },
    describe: (id) => {
      for (const members of known.values()) {
        const member = members.get(id);
        if (member) show(member);
      }
    },
  };
}

function nameInKind({ id, name }: Known): string {
  return `${id.slice(0, id.indexOf("/"))} ${name}`;
}

const GOOD = { up: true, attempted: true, failure: undefined } as const;
