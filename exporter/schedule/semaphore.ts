/** Limits the number of concurrent requests. */
export interface Semaphore {
  /** Acquires a permit; call the result once to release it. Undefined: none is free. */
  tryTake(): (() => void) | undefined;
  readonly free: number;
  /** Changes the limit; requests in progress continue. */
  resize(count: number): void;
}

/** `onFree` is called after each release. */
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
