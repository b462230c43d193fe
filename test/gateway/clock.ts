export type Clock = {
  readonly now: () => number;
  /** Jumps to a time, forwards or backwards. */
  readonly set: (at: number) => void;
  readonly advance: (byMs: number) => void;
  /** Speed relative to the clock's source; 0 stops the clock. */
  speed: number;
};

/** A clock based on another clock: it follows its source until it is set or its speed changes. */
export function createClock(source: () => number): Clock {
  let anchor = source();
  let base = anchor;
  let speed = 1;
  const now = (): number => base + Math.round((source() - anchor) * speed);
  const set = (at: number): void => {
    if (!Number.isFinite(at)) throw new Error(`Cannot set the clock: expected a time in ms, got "${at}"`);
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
