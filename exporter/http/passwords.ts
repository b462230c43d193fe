import { createHmac, randomBytes } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { Comparison, Outcome } from "./bcrypt-worker.ts";

/** Checks the passwords of basic authentication with bcrypt, one after another, in a thread. */
export interface Passwords {
  start(): void;
  /**
   * Whether the password is the user's. An unknown user takes as long as a known one.
   * @throws TooManyLoginsError; an error of the thread.
   */
  matches(users: ReadonlyMap<string, string>, user: string, password: string): Promise<boolean>;
  stop(): Promise<void>;
}

/** Too many logins are waiting, for example because someone is guessing passwords. */
export class TooManyLoginsError extends Error {
  override readonly name = "TooManyLoginsError";
}

const MOST_WAITING = 32;
const MOST_REMEMBERED = 100;

export function createPasswords(): Passwords {
  const waiting = new Map<number, PromiseWithResolvers<boolean>>();
  /** Correct logins, so that a scrape computes no hash: digests under a random key of this process. */
  const correct = new Set<string>();
  const digestKey = randomBytes(32);
  let worker: Worker | undefined;
  let lastId = 0;

  function startWorker(): Worker {
    const thread = new Worker(new URL("./bcrypt-worker.ts", import.meta.url));
    thread.unref();
    thread.on("message", ({ id, matches }: Outcome) => {
      waiting.get(id)?.resolve(matches);
      waiting.delete(id);
    });
    // The next login starts another thread.
    thread.on("error", (error) => {
      worker = undefined;
      failAll(error);
    });
    return thread;
  }

  function failAll(error: unknown): void {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  async function compare(password: string, hash: string): Promise<boolean> {
    if (waiting.size >= MOST_WAITING) throw new TooManyLoginsError();
    worker ??= startWorker();
    const outcome = Promise.withResolvers<boolean>();
    waiting.set(++lastId, outcome);
    worker.postMessage({ id: lastId, password, hash } satisfies Comparison, []);
    return outcome.promise;
  }

  return {
    start: () => {
      worker ??= startWorker();
    },
    matches: async (users, user, password) => {
      const own = users.get(user);
      const hash = own ?? [...users.values()].toSorted(byCost).at(-1) ?? "";
      const login = JSON.stringify([user, own, password]);
      const digest = createHmac("sha256", digestKey).update(login).digest("base64");
      if (correct.has(digest)) return true;
      const isMatch = (await compare(password, hash)) && own !== undefined;
      if (isMatch) remember(correct, digest);
      return isMatch;
    },
    stop: async () => {
      await worker?.terminate();
      worker = undefined;
      failAll(new Error("The exporter is stopping"));
    },
  };
}

function remember(correct: Set<string>, digest: string): void {
  correct.add(digest);
  const [oldest] = correct.size > MOST_REMEMBERED ? correct : [];
  if (oldest !== undefined) correct.delete(oldest);
}

/** By the two digits after `$2b$`. */
function byCost(one: string, other: string): number {
  return Number(one.slice(4, 6)) - Number(other.slice(4, 6));
}
