import { onAbort } from "../time/clock.ts";

/** A fixed number of places, given out in the order of asking. */
export interface Slots {
  /** Waits for a place; call the result to give it back. Rejects with the signal's reason when it is aborted. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();

  function giveBack(): void {
    const [next] = waiting;
    if (next) next();
    else free++;
  }

  function place(): () => void {
    let given = false;
    return () => {
      if (!given) giveBack();
      given = true;
    };
  }

  return {
    take: (signal) => {
      signal.throwIfAborted();
      if (free > 0) {
        free--;
        return Promise.resolve(place());
      }
      return new Promise((resolve, reject) => {
        const proceed = () => {
          waiting.delete(proceed);
          forget();
          resolve(place());
        };
        const forget = onAbort(signal, () => {
          waiting.delete(proceed);
          reject(signal.reason);
        });
        waiting.add(proceed);
      });
    },
  };
}
