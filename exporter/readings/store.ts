import type { Clock } from "../time/clock.ts";
import { contains, isSettled } from "../time/window.ts";
import { type Block, createPacking, EMPTY, unpack } from "../metrics/render/block.ts";
import type { Sample } from "../metrics/family.ts";

/**
 * What is known of each target, and for how long. It decides what may be shown at an instant: a value whose time to
 * live has passed, whose window has ended or whose target is gone is not repeated.
 */
export interface Store {
  /** Replaces the values of a target by those of a new answer. False: refused, beyond the series limit; then it has none. */
  put(target: string, answer: Answer): boolean;
  /** Replaces what is known of a target without an answer; it does not age. */
  describe(target: string, samples: readonly Sample[]): void;
  /**
   * Replaces all that is made of other values: by target, what to show at the instant of looking. It is not held, so it
   * neither ages nor counts; its windows tell how long a view of it is valid.
   */
  derive(sources: ReadonlyMap<string, () => readonly Sample[]>): void;
  /** Withdraws the values of a target; its description stays. */
  withdraw(target: string): void;
  /** Forgets a target altogether. */
  remove(target: string): void;
  /** What may be shown now of one target. */
  visible(target: string): readonly Sample[];
  /** All that may be shown now, unchangeable. */
  view(): View;
  /** Series held, shown or not. */
  readonly series: number;
}

export interface Answer {
  readonly samples: readonly Sample[];
  readonly askedAtMs: number;
  /** How long the values may be repeated when no newer answer comes, milliseconds. */
  readonly timeToLiveMs: number;
}

export interface View {
  /** In the order of the targets; what has not changed since another view is the same block. */
  readonly blocks: readonly Block[];
  /** Whether one of the samples must no longer be shown, or the clock went back to before the view was taken. */
  outdated(): boolean;
  /** Milliseconds until the first of the samples must no longer be shown; Infinity when none ages. */
  readonly validForMs: number;
}

interface Entry {
  readonly description: Block;
  readonly values: Block;
  /** Time to live runs on both clocks, whichever is sooner: neither a stepped nor a stopped clock prolongs it. */
  readonly expiry: { readonly wallMs: number; readonly monotonicMs: number };
  /** A view leaves out what has no longer than this to live. */
  readonly spareMs: number;
}

/**
 * Thousands of targets that fail together end one by one. A view that stood until the next of them would be outdated before
 * it is rendered, so each leaves out what ends soon: this part of its time to live early, and this long at most.
 */
const SPARE_PART = 0.05;
const MOST_SPARE_MS = 5000;

const NOTHING: Omit<Entry, "description"> = {
  values: EMPTY,
  expiry: { wallMs: 0, monotonicMs: 0 },
  spareMs: 0,
};
const NOBODY: Entry = { description: EMPTY, ...NOTHING };

export function createStore(clock: Clock, seriesLimit: () => number): Store {
  const entries = new Map<string, Entry>();
  const packer = createPacking();
  let derived: ReadonlyMap<string, () => readonly Sample[]> = new Map();
  let series = 0;

  function replace(target: string, next: Partial<Entry>): void {
    const old = entries.get(target) ?? NOBODY;
    const entry = { ...old, ...next };
    series += sizeOf(entry) - sizeOf(old);
    entries.set(target, entry);
  }

  function put(target: string, answer: Answer): boolean {
    const samples = answer.samples.filter(({ window }) => !window || isSettled(window, answer.askedAtMs));
    const old = entries.get(target)?.values ?? EMPTY;
    if (series - old.values.length + samples.length > seriesLimit()) {
      replace(target, NOTHING);
      return false;
    }
    const wallMs = answer.askedAtMs + answer.timeToLiveMs;
    const ageMs = clock.now() - answer.askedAtMs;
    const monotonicMs = clock.monotonic() + answer.timeToLiveMs - Math.max(0, ageMs);
    const spareMs = Math.min(MOST_SPARE_MS, answer.timeToLiveMs * SPARE_PART);
    replace(target, { values: packer.pack(samples, old), expiry: { wallMs, monotonicMs }, spareMs });
    return true;
  }

  function fresh({ values, expiry }: Entry, nowMs: number): Block {
    if (nowMs >= expiry.wallMs || clock.monotonic() >= expiry.monotonicMs) return EMPTY;
    return packer.only(values, (window) => contains(window, nowMs));
  }

  function view(): View {
    const takenAt = { wallMs: clock.now(), monotonicMs: clock.monotonic() };
    let validForMs = Number.POSITIVE_INFINITY;
    const ages = (block: Block) => {
      for (const { endMs } of block.windows) validForMs = Math.min(validForMs, endMs - takenAt.wallMs);
      return block;
    };
    const blocks: Block[] = [];
    for (const entry of entries.values()) {
      const { wallMs, monotonicMs } = entry.expiry;
      const leftMs = Math.min(wallMs - takenAt.wallMs, monotonicMs - takenAt.monotonicMs);
      const values = leftMs > entry.spareMs ? ages(fresh(entry, takenAt.wallMs)) : EMPTY;
      if (values !== EMPTY) validForMs = Math.min(validForMs, leftMs);
      blocks.push(entry.description, values);
    }
    for (const source of derived.values()) blocks.push(ages(packer.pack(source())));
    const outdated = () => {
      const agesMs = [clock.now() - takenAt.wallMs, clock.monotonic() - takenAt.monotonicMs];
      return agesMs.some((ageMs) => ageMs < 0 || ageMs >= validForMs);
    };
    return { blocks, validForMs, outdated };
  }

  return {
    put,
    describe: (target, samples) => {
      const description = packer.pack(samples, entries.get(target)?.description);
      replace(target, { description });
    },
    derive: (sources) => {
      derived = sources;
    },
    withdraw: (target) => replace(target, NOTHING),
    remove: (target) => {
      replace(target, NOBODY);
      entries.delete(target);
    },
    visible: (target) => {
      const entry = entries.get(target);
      if (entry) return [...unpack(entry.description), ...unpack(fresh(entry, clock.now()))];
      return derived.get(target)?.() ?? [];
    },
    view,
    get series() {
      return series;
    },
  };
}

function sizeOf({ description, values }: Entry): number {
  return description.values.length + values.values.length;
}
