import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Coverage } from "./coverage.ts";

/** What processes have found that searched parts of a range of seeds. */
export interface JobsResult {
  readonly findings: string;
  readonly violations: number;
}

/** Searches seeds in several processes, each with the given arguments for its part, and adds up what they cover. */
export async function searchInJobs(
  { first, seeds, jobs }: { readonly first: number; readonly seeds: number; readonly jobs: number },
  args: readonly string[],
  coverage: Coverage,
): Promise<JobsResult> {
  const part = Math.ceil(seeds / jobs);
  const outputs = await Promise.all(
    Array.from({ length: jobs }, (_, job) => {
      const own = [
        "--seeds",
        String(Math.min(part, seeds - job * part)),
        "--seed",
        String(first + job * part),
      ];
      return outputOf([...own, ...args]);
    }),
  );
  const lines = outputs.flatMap((output) => output.split("\n"));
  for (const line of lines) {
    const [, number, what] = COUNT.exec(line) ?? [];
    if (what !== undefined) coverage.count(what, Number(number));
  }
  const ends = lines.map((line) => END.exec(line)?.[1]).filter((number) => number !== undefined);
  if (ends.length !== jobs) throw new Error(`Only ${ends.length} of ${jobs} processes came to their end`);
  return {
    findings: lines.filter((line) => !COUNT.test(line) && !END.test(line)).join("\n"),
    violations: ends.reduce((sum, number) => sum + Number(number), 0),
  };
}

const COUNT = /^ *(\d+) {2}(.+)$/;
const END = /^(\d+) violations in \d+ s$/;

/** The output of a search. It fails when it finds something. */
export async function outputOf(args: readonly string[], program = MAIN): Promise<string> {
  const run = promisify(execFile)(process.execPath, [...process.execArgv, program, ...args], {
    maxBuffer: 1 << 26,
  });
  return run.catch((error: { readonly stdout?: string }) => error).then(({ stdout = "" }) => stdout);
}

const MAIN = new URL("main.ts", import.meta.url).pathname;
