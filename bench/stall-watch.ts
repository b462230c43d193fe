/** Measures how long the event loop of this process is blocked. */
export interface StallWatch {
  /** The longest delay of a timer since the last call, in milliseconds. */
  longestMs(): number;
}

/** Shorter stalls cannot be distinguished from the timer's own inaccuracy. */
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
