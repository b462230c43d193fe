import { compareSync } from "bcryptjs";
import { parentPort, workerData } from "node:worker_threads";

/** One comparison, as sent to the worker. */
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
if (workerData === "bcrypt") {
  parentPort?.on("message", ({ id, password, hash }: Comparison) => {
    parentPort?.postMessage({ id, matches: compareSync(password, hash) } satisfies Outcome, []);
  });
}
