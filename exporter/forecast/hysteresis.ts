import { MINUTE_MS } from "../time/window.ts";

/** What can be announced, the most urgent first. */
export const LEVELS = ["exhausted", "imminent", "predicted", "slow"] as const;
export type Level = (typeof LEVELS)[number];

/** What a reading says about each level. */
export type Signals = Readonly<Record<Level, Signal>>;
export interface Signal {
  /** The level begins, unless a more urgent one is announced. */
  readonly begins: boolean;
  /** An announcement of the level stays. */
  readonly stays: boolean;
}

/** How slowly a level follows its signals, in milliseconds. */
export type Slowness = Readonly<Record<Level, { readonly patienceMs: number; readonly memoryMs: number }>>;

/** What is announced of one thing that has a limit. */
export interface Announcement {
  readonly level: Level;
  readonly sinceMs: number;
  /** Whether an exhaustion was announced before it came, and an alert on it may fire. */
  readonly wasAnnounced: boolean;
}

/** An announcement that lasted for less than this time is not kept: no alert has fired. */
const CONFIRMED_MS = 3 * MINUTE_MS;

/**
 * Decides what is announced. A level is announced once its signal has said `begins` for as long as its patience. It stays while the
 * signal says `stays`, or for its memory after the last `begins`, or while a more urgent level is announced.
 */
export class Hysteresis {
  readonly #slowness: Slowness;
  #isHurried = false;
  #wasAnnounced = false;
  /** Since when each level is pending or announced, and when its signal last began. */
  readonly #since = LEVELS.map(() => NaN);
  readonly #began = LEVELS.map(() => NaN);

  constructor(slowness: Slowness) {
    this.#slowness = slowness;
  }

  /** Skips the patience at the next reading: the history shows that the condition is older. */
  hurry(): void {
    this.#isHurried = true;
  }

  /** Ends every announcement: the limit was reset, raised or removed. */
  renew(): void {
    this.#since.fill(NaN);
    this.#began.fill(NaN);
    this.#wasAnnounced = false;
  }

  /** Takes the signals of a reading. Undefined: nothing is announced. */
  step(nowMs: number, signals: Signals): Announcement | undefined {
    let nearest: Level | undefined;
    let isNearerConfirmed = false;
    for (const level of LEVELS) {
      const signal = signals[level];
      const stays = signal.stays || isNearerConfirmed;
      this.#follow(level, nowMs, { begins: signal.begins && nearest === undefined, stays });
      if (signal.begins) this.#began[LEVELS.indexOf(level)] = nowMs;
      if (this.#lasts(level, nowMs, 0)) nearest ??= level;
      isNearerConfirmed ||= this.#lasts(level, nowMs, CONFIRMED_MS);
    }
    this.#isHurried = false;
    if (nearest !== "exhausted") this.#wasAnnounced = nearest !== undefined;
    if (nearest === undefined) return undefined;
    const sinceMs = this.#since[LEVELS.indexOf(nearest)] ?? NaN;
    return { level: nearest, sinceMs, wasAnnounced: this.#wasAnnounced };
  }

  #follow(level: Level, nowMs: number, { begins, stays }: Signal): void {
    const index = LEVELS.indexOf(level);
    const since = this.#since[index] ?? NaN;
    const { patienceMs, memoryMs } = this.#slowness[level];
    const isRemembered = nowMs - (this.#began[index] ?? NaN) < memoryMs;
    const isKept = (stays || isRemembered) && this.#lasts(level, nowMs, CONFIRMED_MS);
    if (!begins && !isKept) this.#since[index] = NaN;
    else if (this.#isHurried) this.#since[index] = Math.min(since || Infinity, nowMs - patienceMs);
    else if (Number.isNaN(since)) this.#since[index] = nowMs;
  }

  /** Whether the level has been announced, or pending if that takes longer, for some time. */
  #lasts(level: Level, nowMs: number, leastMs: number): boolean {
    const since = this.#since[LEVELS.indexOf(level)] ?? NaN;
    return nowMs - since >= Math.max(this.#slowness[level].patienceMs, leastMs);
  }
}
