import * as fc from "fast-check";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { storyArbitrary } from "./story-arbitrary.ts";
import { type Coverage, createCoverage } from "./calendar.ts";
import { violationOf } from "./run-story.ts";

/**
 * Runs the story of a seed. When it breaks an invariant, shrinks it within `shrinkMs` of real time and returns the
 * violation of the shortest story.
 */
async function searchSeed(seed: number, coverage: Coverage, shrinkMs: number): Promise<string | undefined> {
  // Shrinking repeats the same story, which is no coverage.
  let counted = coverage;
  let shortest: string | undefined;
  // The limit of fast-check would let the story in progress continue beside the next one.
  let endAt = Infinity;
  const property = fc.asyncProperty(storyArbitrary(), async (story) => {
    if (performance.now() > endAt) return;
    const message = await violationOf(story, counted);
    if (message === undefined) return;
    counted = createCoverage();
    endAt = Math.min(endAt, performance.now() + shrinkMs);
    shortest = message;
    throw new Error(message);
  });
  await fc.check(property, { seed, numRuns: 1 });
  return shortest && `seed ${seed}: ${shortest}\n`;
}

const HELP = `World: the whole exporter in thousands of simulated worlds (CONTRIBUTING.md).

Usage: npm run world -- [options]
  --seeds <n>     number of stories (1000)
  --seed <n>      the first seed; a random one by default
  --jobs <n>      number of processes (1)
  --shrink <n>    seconds for which a violation is shrunk (60)
  --all           continue after a violation
  --help          this text

Exit codes: 0 no violation, 1 a violation, 2 usage error.
`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    jobs: { type: "string", default: "1" },
    shrink: { type: "string", default: "60" },
    all: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const [seeds, first, jobs] = [Number(values.seeds), Number(values.seed), Number(values.jobs)];
const isUsed = seeds > 0 && jobs > 0 && Number.isSafeInteger(first);
if (values.help || !isUsed) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 2;
} else process.exitCode = jobs > 1 ? await searchInJobs() : await search();

/** Each process searches a part of the seeds and writes what it found and covered. */
async function searchInJobs(): Promise<number> {
  const part = Math.ceil(seeds / jobs);
  const searches = Array.from({ length: Math.ceil(seeds / part) }, async (_, job) => {
    const own = ["--seed", String(first + job * part), "--seeds", String(Math.min(part, seeds - job * part))];
    const others = ["--shrink", values.shrink, ...(values.all ? ["--all"] : [])];
    const line = [...process.execArgv, import.meta.filename, ...own, ...others];
    return once(spawn(process.execPath, line, { stdio: "inherit" }), "close");
  });
  const codes = await Promise.all(searches);
  return codes.every(([code]) => code === 0) ? 0 : 1;
}

async function search(): Promise<number> {
  const coverage = createCoverage();
  const started = performance.now();
  let violations = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const finding = await searchSeed(seed, coverage, Number(values.shrink) * 1000);
    if (finding === undefined) continue;
    violations++;
    process.stdout.write(finding);
    if (!values.all) break;
  }
  for (const [what, count] of [...coverage.counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    process.stdout.write(`${String(count).padStart(9)}  ${what}\n`);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  process.stdout.write(`Seeds ${first} to ${first + seeds - 1}: ${violations} violations in ${seconds} s\n`);
  return violations === 0 ? 0 : 1;
}
