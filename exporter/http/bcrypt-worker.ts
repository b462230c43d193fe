import { compareSync } from "bcryptjs";
import { parentPort, workerData } from "node:worker_threads";

/** The comparison of a password with several hashes, as sent to the worker. */
export interface Comparison {
  readonly id: number;
  readonly password: string;
  readonly hashes: readonly string[];
}

/** The worker's answer. */
export interface Outcome {
  readonly id: number;
  /** Whether the first hash matches. */
  readonly matches: boolean;
}

// A comparison takes a tenth of a second or more of processor time, for which no scrape should wait.
if (workerData === "bcrypt") {
  parentPort?.on("message", ({ id, password, hashes: [hash = "", ...decoys] }: Comparison) => {
    const matches = compareSync(password, hash);
    if (!matches) for (const decoy of decoys) compareSync(password, decoy);
    parentPort?.postMessage({ id, matches } satisfies Outcome, []);
  });
}
