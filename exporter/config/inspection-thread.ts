import { Worker } from "node:worker_threads";
import type { InspectionTask } from "./inspection-worker.ts";
import type { Problem } from "./problem.ts";

/**
 * Checks the text of a large configuration in a thread of its own, so that neither its time nor its memory delays a
 * scrape. Returns the first problems; an empty list if it is valid.
 */
export function inspectInThread(text: string, mostMebibytes = MOST_MEBIBYTES): Promise<readonly Problem[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Problem[]>();
  const thread = new Worker(new URL("./inspection-worker.ts", import.meta.url), {
    workerData: { inspect: text } satisfies InspectionTask,
    resourceLimits: { maxOldGenerationSizeMb: mostMebibytes, maxYoungGenerationSizeMb: 8 },
  });
  thread.once("message", resolve);
  thread.once("error", (error) => {
    if (isOutOfMemory(error)) resolve([{ path: "", message: tooLarge(mostMebibytes) }]);
    else reject(error);
  });
  thread.once("exit", (code) => reject(new Error(`The check of the configuration ended with code ${code}`)));
  return promise;
}

/** Measured: 10,000 keys with owners need 80, and a text of as many parts as are read needs 100. */
const MOST_MEBIBYTES = 112;

function tooLarge(mostMebibytes: number): string {
  return `is too large: its check needs more than ${mostMebibytes} MiB of memory`;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}
