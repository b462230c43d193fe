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
  // When one fails, the others end.
  const stop = new AbortController();
  const searches = Array.from({ length: Math.ceil(seeds / part) }, (_, job) => {
    const own = ["--seeds", String(Math.min(part, seeds - job * part)), "--seed", String(first + job * part)];
    return outputOf([...own, ...args], MAIN, stop.signal);
  });
  const outputs = await Promise.all(searches).finally(() => stop.abort());
  const lines = outputs.flatMap((output) => output.split("\n"));
  for (const line of lines) {
    const [, number, what] = COUNT.exec(line) ?? [];
    if (what !== undefined) coverage.count(what, Number(number));
  }
  return {
    findings: lines.filter((line) => !COUNT.test(line) && !END.test(line)).join("\n"),
    violations: lines.reduce((sum, line) => sum + Number(END.exec(line)?.[1] ?? 0), 0),
  };
}

const COUNT = /^ *(\d+) {2}(.+)$/;
/** The last line of every search, whatever it finds. */
const END = /^(\d+) violations in \d+ s$/m;

/**
 * The output of a search, which exits with 1 when it finds something.
 * @throws if the process does not begin, dies, or ends before its last line; the message has what it wrote.
 */
export async function outputOf(
  args: readonly string[],
  program = MAIN,
  signal?: AbortSignal,
): Promise<string> {
  const run = promisify(execFile)(process.execPath, [...process.execArgv, program, ...args], {
    maxBuffer: 1 << 26,
    ...(signal && { signal }),
  });
  const ended: ProcessEnd = await run.catch((error: ProcessEnd) => error);
  const { stdout = "", stderr = "", code = 0, signal: killedBy } = ended;
  if (END.test(stdout)) return stdout;
  const how = killedBy ? `signal ${killedBy}` : `exit code ${code}`;
  const written = (stderr.trim() || stdout.trim()).slice(-MOST_SHOWN);
  throw new Error(`The search did not come to its end (${how}): ${written}`);
}

interface ProcessEnd {
  readonly stdout?: string;
  readonly stderr?: string;
  /** A text such as `ENOENT` if the process did not begin. */
  readonly code?: number | string | null;
  readonly signal?: string | null;
}

const MOST_SHOWN = 2000;
const MAIN = new URL("main.ts", import.meta.url).pathname;
