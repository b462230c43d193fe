/** A fixed number of requests that may be under way at once. */
export interface Semaphore {
  /** Takes a place; call the result once to return it. Undefined: none is free. */
  tryTake(): (() => void) | undefined;
  readonly free: number;
  /** Another number of places; what is under way stays. */
  resize(count: number): void;
}

/** `onFree` is called whenever a place was returned. */
export function createSemaphore(initial: number, onFree: () => void): Semaphore {
  let count = initial;
  let taken = 0;
  return {
    tryTake: () => {
      if (taken >= count) return undefined;
      taken++;
      let isReturned = false;
      return () => {
        if (isReturned) return;
        isReturned = true;
        taken--;
        onFree();
      };
    },
    get free() {
      return Math.max(0, count - taken);
    },
    resize: (next) => {
      count = next;
      onFree();
    },
  };
}
