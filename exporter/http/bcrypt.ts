import { Worker } from "node:worker_threads";
import type { Comparison, Outcome } from "./bcrypt-worker.ts";

/** Compares passwords with bcrypt hashes, one after another, in a thread that starts with the first comparison. */
export interface Bcrypt {
  /** Whether the password matches the first hash. If not, the others are compared as well, only for their time. */
  compare(password: string, hashes: readonly string[]): Promise<boolean>;
  stop(): Promise<void>;
}

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
    compare: (password, hashes) => {
      worker ??= startWorker();
      const id = ++lastId;
      const outcome = Promise.withResolvers<boolean>();
      waiting.set(id, outcome);
      worker.postMessage({ id, password, hashes } satisfies Comparison, []);
      return outcome.promise;
    },
    stop: async () => {
      await worker?.terminate();
      worker = undefined;
      failAll(new Error("The exporter is stopping"));
    },
  };
}
