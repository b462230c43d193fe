/** Watches how long the event loop of this process is kept from its other work. */
export interface StallWatch {
  /** The longest time since the last call that a timer had to wait for its turn, milliseconds. */
  longestMs(): number;
}

/** A stall shorter than this cannot be told from the timer's own. */
const TICK_MS = 1;

export function watchStalls(): StallWatch {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  setInterval(look, TICK_MS).unref();
  return {
    longestMs: () => {
      look();
      const result = longest;
      longest = 0;
      return result;
    },
  };
}
