import type { Clock } from "../time/clock.ts";
import type { Statement, TargetState } from "../collectors/collector.ts";
import type { FailureReason } from "../gateway/errors.ts";

/** What became of a target's polls. */
export interface PollStatus extends TargetState {
  /** When the target became known. */
  readonly addedMs: number;
  /** When the last poll began. */
  readonly lastAttemptMs: number | undefined;
  /** Whether a poll was made, and ended. */
  readonly attempted: boolean;
  /** Why the last poll failed; undefined after a success. */
  readonly failure: { readonly reason: FailureReason; readonly message: string } | undefined;
  /** What of the last good answer could not be used. */
  readonly doubt: string | undefined;
  /** When the last answer was asked for that need not be repeated soon: a good one, or a refusal of the question. */
  readonly lastAnswerMs: number | undefined;
  /** For budgets; undefined before the first good answer. */
  readonly statement: Statement | undefined;
}

/** The status of each target that is configured; it outlives a reload. */
export interface Statuses {
  /** Undefined: the target is not configured (any more). */
  get(id: string): PollStatus | undefined;
  add(id: string): PollStatus;
  /** Changes the status of a known target. */
  update(id: string, change: Partial<PollStatus>): PollStatus | undefined;
  remove(id: string): void;
  ids(): readonly string[];
}

export function createStatuses(clock: Clock): Statuses {
  const statuses = new Map<string, PollStatus>();
  return {
    get: (id) => statuses.get(id),
    add: (id) => {
      const status = statuses.get(id) ?? { ...UNKNOWN, addedMs: clock.now() };
      statuses.set(id, status);
      return status;
    },
    update: (id, change) => {
      const status = statuses.get(id);
      if (!status) return undefined;
      const next = { ...status, ...change };
      statuses.set(id, next);
      return next;
    },
    remove: (id) => statuses.delete(id),
    ids: () => [...statuses.keys()],
  };
}

const UNKNOWN = {
  up: undefined,
  unauthorized: undefined,
  lastSuccessMs: undefined,
  lastAttemptMs: undefined,
  lastAnswerMs: undefined,
  statement: undefined,
  attempted: false,
  failure: undefined,
  doubt: undefined,
} as const satisfies Omit<PollStatus, "addedMs">;
