import type { FailureReason } from "../gateway/errors.ts";
import type { Sample } from "../metrics/family.ts";
import type { Clock } from "../time/clock.ts";
import { isSettled } from "../time/window.ts";
import type { Packing } from "./packing.ts";
import type { Reading } from "./reading.ts";
import type { TargetId } from "./target-id.ts";
import { createLapses, isLapsed, type Lapsing } from "./lapses.ts";
import { isCurrentNow, isWholeNow, latestOf, type Learnt, shownOf, type ShownReading } from "./learnt.ts";
import { monotonicOf } from "./time-to-live.ts";
import { createViewBuilder, type ReadingsView } from "./view.ts";

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
  readonly failure: { readonly reason: FailureReason; readonly message: string } | undefined;
  /** The unusable part of the last good answer. */
  readonly warning: string | undefined;
}

/** The readings as the engine keeps them. */
export interface ReadingStore extends ReadingSource {
  /**
   * Adds a target. If it already exists with another identity, its previous readings are withdrawn at once, from
   * budgets as well. The values of a target that is `behind` another one are shown only while that one has none.
   */
  configure(id: TargetId, identity: string, behind?: TargetId): void;
  ids(): readonly TargetId[];
  /** Forgets a target altogether. */
  remove(id: TargetId): void;
  /** Changes the status of an existing target. */
  update(id: TargetId, change: Partial<TargetStatus>): void;
  /**
   * Stores a reading with the samples derived from it, except those of windows in which it was not settled. Returns
   * false if the samples would exceed the series limit; then the target shows no values. `askedAt` is when the run
   * began, on the monotonic clock; without it, the wall clock was not stepped since.
   */
  learn(id: TargetId, reading: Reading, samples: readonly Sample[], askedAt?: number): boolean;
  /** Replaces the description of a target: the samples that do not come from its reading and do not age. */
  describe(id: TargetId, samples: readonly Sample[]): void;
  /** Withdraws the values of a target. Its description stays, and budgets keep its last reading. */
  withdraw(id: TargetId): void;
  /** Whether all samples of the last reading can be shown now. */
  isWhole(id: TargetId): boolean;
  /**
   * Calls back while a view is gathered, for each target that is not up any more because of the age of its last good
   * reading. Its description must follow.
   */
  onLapse(run: (id: TargetId) => void): void;
  /** Calls back when the readings of a target are withdrawn for good: it is removed or has another identity. */
  onForget(run: (id: TargetId) => void): void;
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
  /** How often something was withdrawn before its time: what was read before that must not be shown any more. */
  readonly withdrawals: number;
  /** Number of stored series, shown or not. */
  readonly series: number;
}

export function createReadings<Packed>(
  clock: Clock,
  packing: Packing<Packed>,
  seriesLimit: () => number,
): Readings<Packed> {
  const { empty, pack, windows, size } = packing;
  const entries = new Map<TargetId, Entry<Packed>>();
  let derived: ReadonlyMap<TargetId, () => readonly Sample[]> = new Map();
  /** Withdrawals count what was withdrawn before its time; a view from before one must not be shown any more. */
  let [series, withdrawals] = [0, 0];
  const lapses = createLapses();

  function describe(entry: Entry<Packed>, description: Packed): void {
    series += size(description) - size(entry.description);
    entry.description = description;
  }

  function replace(entry: Entry<Packed>, learnt: Learnt<Packed> | undefined): void {
    series += size(learnt?.values ?? empty) - size(entry.learnt?.values ?? empty);
    entry.learnt = learnt;
  }

  function forget(id: TargetId): void {
    const entry = entries.get(id);
    if (!entry) return;
    describe(entry, empty);
    replace(entry, undefined);
    withdrawals++;
    lapses.forgotten(id);
  }

  function learn(id: TargetId, reading: Reading, samples: readonly Sample[], began?: number): boolean {
    const entry = entries.get(id);
    if (!entry) return true;
    const isBelieved = ({ window }: Sample) => !window || isSettled(window, reading.asOfMs);
    const believed = samples.every(isBelieved) ? samples : samples.filter(isBelieved);
    const before = entry.learnt?.values ?? empty;
    const isRefused = series - size(before) + believed.length > seriesLimit();
    const values = isRefused ? empty : pack(believed, before);
    const askedAt = began ?? monotonicOf(reading.askedAtMs, clock);
    replace(entry, { reading, values, isWhole: believed === samples, askedAt, isWithdrawn: isRefused });
    entry.wasLapsed = false;
    return !isRefused;
  }

  return {
    status: (id) => {
      const entry = entries.get(id);
      if (!entry || !isLapsed(entry, clock.monotonic())) return entry?.status;
      return { ...entry.status, up: false };
    },
    shown: (id) => shownOf(entries.get(id)?.learnt, clock),
    latest: (id) => latestOf(entries.get(id)?.learnt, clock),
    isCurrent: (id) => isCurrentNow(entries.get(id)?.learnt, clock),
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
    learn,
    describe: (id, samples) => {
      const entry = entries.get(id);
      if (entry) describe(entry, pack(samples, entry.description));
    },
    withdraw: (id) => {
      const entry = entries.get(id);
      if (!entry?.learnt) return;
      replace(entry, { ...entry.learnt, values: empty, isWithdrawn: true });
      withdrawals++;
    },
    isWhole: (id) => isWholeNow(entries.get(id)?.learnt, windows, clock),
    derive: (sources) => {
      derived = sources;
      withdrawals++;
    },
    onLapse: lapses.onLapse,
    onForget: lapses.onForget,
    view: () => {
      const taken = withdrawals;
      const view = createViewBuilder(packing, { clock, isWithdrawn: () => withdrawals !== taken });
      lapses.notice(entries, clock);
      for (const { description, learnt, behind } of entries.values()) {
        view.add(description);
        const isHidden = behind !== undefined && view.shows(entries.get(behind)?.learnt);
        view.addLearnt(isHidden ? undefined : learnt);
      }
      for (const source of derived.values()) view.add(pack(source()));
      return view.done();
    },
    get withdrawals() {
      return withdrawals;
    },
    get series() {
      return series;
    },
  };
}

interface Entry<Packed> extends Lapsing {
  readonly identity: string;
  readonly behind: TargetId | undefined;
  status: TargetStatus;
  description: Packed;
  learnt: Learnt<Packed> | undefined;
}

const NEW_STATUS: TargetStatus = {
  up: undefined,
  unauthorized: undefined,
  lastAttemptMs: undefined,
  attempted: false,
  lastSuccessMs: undefined,
  lastAnswerMs: undefined,
  failure: undefined,
  warning: undefined,
};

const NEW_ENTRY = { status: NEW_STATUS, learnt: undefined, wasLapsed: false };
