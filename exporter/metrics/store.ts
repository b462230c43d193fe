import type { Clock } from "../clock.ts";
import { contains, isSettled } from "../window.ts";
import type { Sample } from "./family.ts";

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
  readonly samples: readonly (readonly Sample[])[];
  /** Whether one of the samples must no longer be shown, or the clock went back to before the view was taken. */
  outdated(): boolean;
  /** Milliseconds until the first of the samples must no longer be shown; Infinity when none ages. */
  readonly validForMs: number;
}

interface Entry {
  description: readonly Sample[];
  values: readonly Sample[];
  /** Time to live runs on both clocks, whichever is sooner: neither a stepped nor a stopped clock prolongs it. */
  expiry: { readonly wallMs: number; readonly monotonicMs: number };
}

const NOTHING: Omit<Entry, "description"> = { values: [], expiry: { wallMs: 0, monotonicMs: 0 } };

export function createStore(clock: Clock, seriesLimit: () => number): Store {
  const entries = new Map<string, Entry>();
  let derived: ReadonlyMap<string, () => readonly Sample[]> = new Map();
  let series = 0;

  function replace(target: string, next: Partial<Entry>): void {
    const old = entries.get(target) ?? { description: [], ...NOTHING };
    const entry = { ...old, ...next };
    series += entry.values.length + entry.description.length;
    if (entries.has(target)) series -= old.values.length + old.description.length;
    entries.set(target, entry);
  }

  function put(target: string, answer: Answer): boolean {
    const values = answer.samples.filter(({ window }) => !window || isSettled(window, answer.askedAtMs));
    const others = series - (entries.get(target)?.values.length ?? 0);
    if (others + values.length > seriesLimit()) {
      replace(target, NOTHING);
      return false;
    }
    const wallMs = answer.askedAtMs + answer.timeToLiveMs;
    const ageMs = clock.now() - answer.askedAtMs;
    const monotonicMs = clock.monotonic() + answer.timeToLiveMs - Math.max(0, ageMs);
    replace(target, { values, expiry: { wallMs, monotonicMs } });
    return true;
  }

  function fresh(entry: Entry, nowMs: number): readonly Sample[] {
    if (nowMs >= entry.expiry.wallMs || clock.monotonic() >= entry.expiry.monotonicMs) return [];
    return entry.values.filter(({ window }) => !window || contains(window, nowMs));
  }

  function view(): View {
    const takenAt = { wallMs: clock.now(), monotonicMs: clock.monotonic() };
    let validForMs = Number.POSITIVE_INFINITY;
    const withinWindows = (values: readonly Sample[]) => {
      for (const { window } of values) {
        if (window) validForMs = Math.min(validForMs, window.endMs - takenAt.wallMs);
      }
      return values;
    };
    const held = [...entries.values()].flatMap((entry) => {
      const values = withinWindows(fresh(entry, takenAt.wallMs));
      if (values.length > 0) {
        const { wallMs, monotonicMs } = entry.expiry;
        validForMs = Math.min(validForMs, wallMs - takenAt.wallMs, monotonicMs - takenAt.monotonicMs);
      }
      return [entry.description, values];
    });
    const samples = [...held, ...[...derived.values()].map((source) => withinWindows(source()))];
    const outdated = () => {
      const agesMs = [clock.now() - takenAt.wallMs, clock.monotonic() - takenAt.monotonicMs];
      return agesMs.some((ageMs) => ageMs < 0 || ageMs >= validForMs);
    };
    return { samples, validForMs, outdated };
  }

  return {
    put,
    describe: (target, samples) => replace(target, { description: samples }),
    derive: (sources) => {
      derived = sources;
    },
    withdraw: (target) => replace(target, NOTHING),
    remove: (target) => {
      const entry = entries.get(target);
      if (entry) series -= entry.values.length + entry.description.length;
      entries.delete(target);
    },
    visible: (target) => {
      const entry = entries.get(target);
      if (entry) return [...entry.description, ...fresh(entry, clock.now())];
      return derived.get(target)?.() ?? [];
    },
    view,
    get series() {
      return series;
    },
  };
}
