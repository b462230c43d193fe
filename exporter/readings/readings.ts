import type { Cause } from "../gateway/causes.ts";
import type { FailureReason } from "../gateway/errors.ts";
import type { Sample } from "../metrics/family.ts";
import type { Clock } from "../time/clock.ts";
import { contains, isSettled, type Window } from "../time/window.ts";
import type { Reading } from "./reading.ts";
import type { TargetId } from "./target-id.ts";
import {
  hasAged,
  type Instant,
  isCurrent,
  isWholeNow,
  leftMs,
  present,
  redated,
  STEP_MS,
  type Stored,
  shownOf,
  type ShownReading,
  shownWindows,
} from "./stored.ts";

/** The readings as the status page and budgets see them. */
export interface ReadingSource {
  /** Undefined: the target is not configured. */
  status(id: TargetId): TargetStatus | undefined;
  /** The reading of a target, if it may be shown now; undefined: no reading yet, or its time to live has passed. */
  shown(id: TargetId): ShownReading | undefined;
  /**
   * The last good reading, however old: budgets keep counting it as a lower bound. Its times are by the present wall
   * clock.
   */
  latest(id: TargetId): Reading | undefined;
  /** Whether a view contains the last good reading: its time to live lasts a little longer. */
  isCurrent(id: TargetId): boolean;
}

/** Why a run failed. */
export interface Failure {
  readonly reason: FailureReason;
  readonly message: string;
  readonly cause?: Cause;
}

/** The outcome of a target's runs. */
export interface TargetStatus {
  /** Whether the last run succeeded, within the time to live of its reading; undefined before the first. */
  readonly up: boolean | undefined;
  /** Whether the service refuses the credential (401); only a success or a 401 changes it. */
  readonly unauthorized: boolean | undefined;
  /** When the last run began. Epoch milliseconds, as all times below. */
  readonly lastAttemptMs: number | undefined;
  /** Whether a run has ended. */
  readonly attempted: boolean;
  readonly lastSuccessMs: number | undefined;
  /**
   * When the last answer was requested that need not be repeated soon: a success, or a rejection of the request
   * itself.
   */
  readonly lastAnswerMs: number | undefined;
  /** Why the last run failed; undefined after a success, however long ago. */
  readonly failure: Failure | undefined;
  /** The unusable part of the last good answer. */
  readonly warning: string | undefined;
}

/** The readings as the engine keeps them. */
export interface ReadingStore extends ReadingSource {
  /**
   * Adds a target. If it already exists with another identity, its previous readings are withdrawn at once, from
   * budgets as well. The values of a target that is `behind` another one are shown only
   * while that one has none, and has not had newer ones.
   */
  configure(id: TargetId, identity: string, behind?: TargetId): void;
  ids(): readonly TargetId[];
  /** Forgets a target altogether. */
  remove(id: TargetId): void;
  /** Changes the status of an existing target. */
  update(id: TargetId, change: Partial<TargetStatus>): void;
  /**
   * Stores a reading with the samples derived from it, except those of windows in which it was not settled. Returns
   * false if the samples would exceed the series limit; then the target shows no values. `requestedAt` is when the run
   * began, on the monotonic clock; now if absent.
   */
  store(id: TargetId, reading: Reading, samples: readonly Sample[], requestedAt?: number): boolean;
  /** Replaces the description of a target: the samples that do not come from its reading and do not age. */
  describe(id: TargetId, samples: readonly Sample[]): void;
  /** Withdraws the values of a target. Its description stays, and budgets keep its last reading. */
  withdraw(id: TargetId): void;
  /** Whether all samples of the last reading can be shown now. */
  isWhole(id: TargetId): boolean;
  /**
   * Withdraws what has expired, for good: a clock that is set back does not show it again. Returns the targets that are no
   * longer up, so that the caller can describe them again.
   */
  expire(): readonly TargetId[];
}

/** What follows from the course of the readings, and outlives each of them. */
export interface Follower<Packed> {
  /** Receives each reading that is stored and shown, under the id of the target that it is shown for. */
  stored(id: TargetId, reading: Reading): void;
  /** The target is gone, or belongs to someone else. */
  forgotten(id: TargetId): void;
  /** What may be shown now, immutable. An unchanged block is the same object. */
  blocks(): Iterable<Packed>;
}

/** All readings of the exporter. Nothing else decides what may be shown at an instant. */
export interface Readings<Packed> extends ReadingStore {
  /**
   * Replaces the sources of derived samples. Each source computes its samples for the instant of a view. They are not
   * stored, so they neither age nor count towards the series limit; their windows limit how long a view is valid.
   */
  derive(sources: ReadonlyMap<TargetId, () => readonly Sample[]>): void;
  /** Everything that may be shown now, immutable. */
  view(): ReadingsView<Packed>;
  /** Number of stored series, shown or not. */
  readonly series: number;
}

/** Everything that may be shown at one instant, and how long it stays valid. */
export interface ReadingsView<Packed> {
  /** In the order of the targets; unchanged parts are the same objects as in other views. */
  readonly blocks: readonly Packed[];
  /** Whether a sample has expired, or the wall clock was set back. */
  outdated(): boolean;
  /** Milliseconds until the first sample expires; Infinity if none does. */
  readonly validForMs: number;
}

export function createReadings<Packed>(
  clock: Clock,
  packing: Packing<Packed>,
  seriesLimit: () => number,
  follower: Follower<Packed> = NO_FOLLOWER,
): Readings<Packed> {
  const { empty, pack, windows, size } = packing;
  const entries = new Map<TargetId, Entry<Packed>>();
  let derived: ReadonlyMap<TargetId, () => readonly Sample[]> = new Map();
  /** Withdrawals count what was withdrawn before its time; a view from before one must not be shown any more. */
  let [series, withdrawals] = [0, 0];

  function describe(entry: Entry<Packed>, description: Packed): void {
    series += size(description) - size(entry.description);
    entry.description = description;
  }

  function replace(entry: Entry<Packed>, stored: Stored<Packed> | undefined): void {
    series += size(stored?.values ?? empty) - size(entry.stored?.values ?? empty);
    entry.stored = stored;
  }

  function forget(id: TargetId): void {
    const entry = entries.get(id);
    if (!entry) return;
    describe(entry, empty);
    replace(entry, undefined);
    follower.forgotten(id);
    withdrawals++;
  }

  function store(
    id: TargetId,
    reading: Reading,
    samples: readonly Sample[],
    requestedAt = clock.monotonic(),
  ): boolean {
    const entry = entries.get(id);
    if (!entry) return true;
    const isBelieved = ({ window }: Sample) => !window || isSettled(window, reading.asOfMs);
    const believed = samples.every(isBelieved) ? samples : samples.filter(isBelieved);
    const before = entry.stored?.values ?? empty;
    const isRefused = series - size(before) + believed.length > seriesLimit();
    const values = isRefused ? empty : pack(believed, before);
    replace(entry, { reading, values, isWhole: believed === samples, requestedAt, isWithdrawn: isRefused });
    entry.isExpired = false;
    entry.isFollowed = false;
    if (isRefused) follower.forgotten(id);
    else if (!isHidden(entry, entries, present(clock))) follow(id, entry, follower);
    return !isRefused;
  }

  return {
    status: (id) => statusOf(entries.get(id), clock),
    shown: (id) => {
      const [entry, at] = [entries.get(id), present(clock)];
      return entry && !isHidden(entry, entries, at) ? shownOf(entry.stored, at) : undefined;
    },
    latest: (id) => {
      const stored = entries.get(id)?.stored;
      return stored && redated(stored, present(clock));
    },
    isCurrent: (id) => isCurrent(entries.get(id)?.stored, present(clock)),
    configure: (id, identity, behind) => {
      if (entries.get(id)?.identity === identity) return;
      forget(id);
      entries.set(id, { ...NEW_ENTRY, identity, description: empty, behind });
    },
    ids: () => [...entries.keys()],
    remove: (id) => {
      forget(id);
      entries.delete(id);
    },
    update: (id, status) => {
      const entry = entries.get(id);
      if (entry) entry.status = { ...entry.status, ...status };
    },
    store,
    describe: (id, samples) => {
      const entry = entries.get(id);
      if (entry) describe(entry, pack(samples, entry.description));
    },
    withdraw: (id) => {
      const entry = entries.get(id);
      if (!entry?.stored) return;
      replace(entry, { ...entry.stored, values: empty, isWithdrawn: true });
      withdrawals++;
    },
    isWhole: (id) => isWholeNow(entries.get(id)?.stored, windows, present(clock)),
    derive: (sources) => {
      derived = sources;
      withdrawals++;
    },
    expire: () => expire(entries, clock, follower),
    view: () => {
      const taken = withdrawals;
      return viewOf(entries, { derived, follower }, packing, clock, () => withdrawals !== taken);
    },
    get series() {
      return series;
    },
  };
}

/** `isWithdrawn`: whether something was withdrawn since the view was made. */
function viewOf<Packed>(
  entries: ReadonlyMap<TargetId, Entry<Packed>>,
  {
    derived,
    follower,
  }: {
    readonly derived: ReadonlyMap<TargetId, () => readonly Sample[]>;
    readonly follower: Follower<Packed>;
  },
  { empty, pack, only, windows }: Packing<Packed>,
  clock: Clock,
  isWithdrawn: () => boolean,
): ReadingsView<Packed> {
  const at = present(clock);
  const blocks: Packed[] = [];
  let validForMs = Number.POSITIVE_INFINITY;
  // What was packed was settled when it was stored; one function for all, since there may be ten thousand.
  const isRunning = (window: Window) => contains(window, at.wallMs);
  const add = (packed: Packed, left = Number.POSITIVE_INFINITY) => {
    blocks.push(packed);
    if (packed === empty) return;
    validForMs = Math.min(validForMs, left);
    for (const { endMs } of windows(packed)) validForMs = Math.min(validForMs, endMs - at.wallMs);
  };
  for (const entry of entries.values()) {
    const { description, stored } = entry;
    add(description);
    if (stored && !isHidden(entry, entries, at) && isCurrent(stored, at)) {
      const isSteady = redated(stored, at) === stored.reading;
      add(only(stored.values, isSteady ? isRunning : shownWindows(stored, at)), leftMs(stored, at));
    } else add(empty);
  }
  for (const source of derived.values()) add(pack(source()));
  for (const block of follower.blocks()) add(block);
  return {
    blocks,
    validForMs,
    outdated: () => {
      const [wallAgeMs, ageMs] = [clock.now() - at.wallMs, clock.monotonic() - at.monotonicMs];
      const isSetBack = wallAgeMs < Math.max(0, ageMs - STEP_MS);
      return isWithdrawn() || isSetBack || Math.max(wallAgeMs, ageMs) >= validForMs;
    },
  };
}

const NO_FOLLOWER = { stored: () => {}, forgotten: () => {}, blocks: () => [] };

/** What is behind another target is followed when it is first shown. */
function follow(id: TargetId, entry: Entry<unknown>, follower: Pick<Follower<unknown>, "stored">): void {
  const { stored, behind } = entry;
  if (!stored || stored.isWithdrawn) return;
  entry.isFollowed = true;
  follower.stored(behind ?? id, stored.reading);
}

/** Whether the target in front of this one has values, or has had newer ones. */
function isHidden(
  { behind, stored }: Entry<unknown>,
  entries: ReadonlyMap<TargetId, Entry<unknown>>,
  at: Instant,
): boolean {
  const front = behind && entries.get(behind)?.stored;
  return front !== undefined && (isCurrent(front, at) || front.requestedAt > (stored?.requestedAt ?? 0));
}

function expire(
  entries: ReadonlyMap<TargetId, Entry<unknown>>,
  clock: Clock,
  follower: Pick<Follower<unknown>, "stored">,
): readonly TargetId[] {
  const at = present(clock);
  const expired: TargetId[] = [];
  // Unlike a loop, this makes no pair for each of ten thousand targets.
  entries.forEach((entry, id) => {
    const { stored } = entry;
    if (stored && leftMs(stored, at) <= 0) stored.isWithdrawn = true;
    const isBehind = entry.behind !== undefined && !entry.isFollowed;
    if (isBehind && !isHidden(entry, entries, at)) follow(id, entry, follower);
    if (entry.isExpired || !isExpired(entry, at.monotonicMs)) return;
    entry.isExpired = true;
    expired.push(id);
  });
  return expired;
}

function statusOf(entry: Entry<unknown> | undefined, clock: Clock): TargetStatus | undefined {
  return entry && isExpired(entry, clock.monotonic()) ? { ...entry.status, up: false } : entry?.status;
}

/** Whether a target is not up although its last run succeeded, because of the age of its reading. */
function isExpired({ status, stored, isExpired: isKnown }: Entry<unknown>, monotonicMs: number): boolean {
  if (status.up !== true || stored === undefined) return false;
  return isKnown || hasAged(stored, monotonicMs);
}

interface Entry<Packed> {
  /** Whether `expire` has returned the target since the last reading. */
  isExpired: boolean;
  /** Whether the follower has received the reading. */
  isFollowed: boolean;
  readonly identity: string;
  readonly behind: TargetId | undefined;
  status: TargetStatus;
  description: Packed;
  stored: Stored<Packed> | undefined;
}

export const NEW_STATUS: TargetStatus = {
  up: undefined,
  unauthorized: undefined,
  lastAttemptMs: undefined,
  attempted: false,
  lastSuccessMs: undefined,
  lastAnswerMs: undefined,
  failure: undefined,
  warning: undefined,
};

const NEW_ENTRY = { status: NEW_STATUS, stored: undefined, isExpired: false, isFollowed: false };

/** How samples are stored. The renderer provides this, so that readings do not depend on rendering. */
export interface Packing<Packed> {
  readonly empty: Packed;
  /** Shares unchanged parts with the previous pack of the same target. */
  readonly pack: (samples: readonly Sample[], previous?: Packed) => Packed;
  /**
   * The samples without a window, and those whose window may be shown. The same part of a pack is always the same
   * object.
   */
  readonly only: (packed: Packed, shows: (window: Window) => boolean) => Packed;
  readonly windows: (packed: Packed) => readonly Window[];
  /** Number of samples. */
  readonly size: (packed: Packed) => number;
}
