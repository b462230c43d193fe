import { Worker } from "node:worker_threads";
import type { Comparison, Outcome } from "./bcrypt-worker.ts";

/** Compares passwords with bcrypt hashes, one after another, in a thread that starts with the first comparison. */
export interface Bcrypt {
  /** @throws TooManyComparisonsError */
  compare(password: string, hash: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Too many comparisons are waiting, for example because someone is guessing passwords. */
export class TooManyComparisonsError extends Error {
  override readonly name = "TooManyComparisonsError";

  constructor() {
    super("Cannot compare a password now: too many comparisons are waiting");
  }
}

const MOST_WAITING = 16;

export function createBcrypt(): Bcrypt {
  const waiting = new Map<number, PromiseWithResolvers<boolean>>();
  let worker: Worker | undefined;
  let lastId = 0;

  function startWorker(): Worker {
    const thread = new Worker(new URL("./bcrypt-worker.ts", import.meta.url), { workerData: "bcrypt" });
    thread.unref();
    thread.on("message", ({ id, matches }: Outcome) => {
      waiting.get(id)?.resolve(matches);
      waiting.delete(id);
    });
    thread.on("error", (error) => {
      if (worker === thread) worker = undefined;
      failAll(error);
    });
    return thread;
  }

  function failAll(error: unknown): void {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  return {
    compare: async (password, hash) => {
      if (waiting.size >= MOST_WAITING) throw new TooManyComparisonsError();
      worker ??= startWorker();
      const id = ++lastId;
      const outcome = Promise.withResolvers<boolean>();
      waiting.set(id, outcome);
      worker.postMessage({ id, password, hash } satisfies Comparison, []);
      return outcome.promise;
    },
    stop: async () => {
      await worker?.terminate();
      worker = undefined;
      failAll(new Error("The exporter is stopping"));
    },
  };
}
