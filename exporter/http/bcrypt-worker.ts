import { compareSync } from "bcryptjs";
import { parentPort, workerData } from "node:worker_threads";

/** One comparison, as it is asked for. */
export interface Comparison {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}

/** What came of it. */
export interface Outcome {
  readonly id: number;
  readonly matches: boolean;
}

// A comparison computes for a tenth of a second and more, which must not keep scrapes waiting.
if (workerData === "bcrypt") {
  parentPort?.on("message", ({ id, password, hash }: Comparison) => {
    parentPort?.postMessage({ id, matches: compareSync(password, hash) } satisfies Outcome, []);
  });
}
