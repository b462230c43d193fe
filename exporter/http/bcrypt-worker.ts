import { compareSync } from "bcryptjs";
import { parentPort } from "node:worker_threads";

/** A comparison of a password with a hash, as sent to the worker. */
export interface Comparison {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

/** The worker's answer. */
export interface Outcome {
  readonly id: number;
  readonly matches: boolean;
}

// A comparison takes a tenth of a second or more of processor time, for which no scrape should wait.
parentPort?.on("message", ({ id, password, hash }: Comparison) => {
  parentPort?.postMessage({ id, matches: compareSync(password, hash) } satisfies Outcome, []);
});
