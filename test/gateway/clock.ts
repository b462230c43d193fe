export type Clock = {
  readonly now: () => number;
  /** Jump to a time, forwards or backwards. */
  readonly set: (at: number) => void;
  readonly advance: (byMs: number) => void;
  /** How much faster than its source the clock runs; 0 stands still. */
  speed: number;
};

/** A clock over another clock: it runs with its source until it is set or sped up. */
export function createClock(source: () => number): Clock {
  let anchor = source();
  let base = anchor;
  let speed = 1;
  const now = (): number => base + Math.round((source() - anchor) * speed);
  const set = (at: number): void => {
    if (!Number.isFinite(at)) throw new Error(`Cannot set the clock: current "${at}", wanted a time in ms`);
    anchor = source();
    base = at;
  };
  return {
    now,
    set,
    advance: (byMs) => set(now() + byMs),
    get speed() {
      return speed;
    },
    set speed(wanted: number) {
      set(now());
      speed = wanted;
    },
  };
}
