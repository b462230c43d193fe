import { parseArgs } from "node:util";
import { type Coverage, createCoverage } from "./coverage.ts";
import { coverageTable } from "./coverage-table.ts";
import { writeSection } from "./documented.ts";
import { checkMutations } from "./mutation-check.ts";
import { MUTATIONS } from "./mutations.ts";
import { findingText, searchSeed } from "./search.ts";
import { searchInJobs } from "./search-jobs.ts";
import { SHARD_MUTATIONS } from "./shard-mutations.ts";
import { violationOf } from "./violation-of.ts";

const HELP = `World: the whole exporter in thousands of simulated worlds (CONTRIBUTING.md).

Usage: npm run world -- [options]
  --seeds <n>     number of stories (1000)
  --seed <n>      the first seed; a random one by default
  --jobs <n>      number of processes (1)
  --minutes <n>   end after this time
  --shards <n>    among how many (1 to 5) exporters the keys are divided; by default one story in six has several
  --shrink <n>    seconds for which a violation is shrunk (60)
  --all           continue after a violation
  --mutations     prove that the world finds each of the defects in mutations.ts; with --shards, in shard-mutations.ts
  --story-of <defect>  run the story of this defect only
  --write         write the result into docs/reliability.md
  --help          this text

Exit codes: 0 no violation, 1 a violation, 2 usage error.
`;

const OPTIONS = {
  seeds: { type: "string", default: "1000" },
  seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  jobs: { type: "string", default: "1" },
  minutes: { type: "string", default: "1000000" },
  shrink: { type: "string", default: "60" },
  shards: { type: "string", default: "" },
  all: { type: "boolean", default: false },
  mutations: { type: "boolean", default: false },
  "story-of": { type: "string", default: "" },
  write: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** By what is written; without a number, the story decides. */
const SHARDS: ReadonlyMap<string, number | undefined> = new Map([
  ["", undefined],
  ...["1", "2", "3", "4", "5"].map((text): [string, number] => [text, Number(text)]),
]);

interface Search {
  readonly seeds: number;
  readonly first: number;
  readonly jobs: number;
  readonly minutes: number;
  readonly shrink: number;
  readonly shards: number | undefined;
  readonly isAll: boolean;
}

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS, allowPositionals: false });
  const { seeds, seed, jobs, minutes, shrink } = values;
  const [count = 0, first = 0, ...limits] = [seeds, seed, jobs, minutes, shrink].map(Number);
  const [processes = 1, longest = 1, shrinking = 1] = limits;
  const shards = SHARDS.get(values.shards);
  const isUsed = [count, ...limits].every((number) => number > 0) && Number.isSafeInteger(first);
  if (values.help || !isUsed || !SHARDS.has(values.shards)) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  if (values.mutations) return mutate({ seeds: count, jobs: processes, shards }, values.write);
  if (values["story-of"] !== "") return runStoryOf(values["story-of"]);
  const coverage = createCoverage();
  const search = { seeds: count, first, jobs: processes, minutes: longest, shrink: shrinking, shards };
  const violations = await report({ ...search, isAll: values.all }, coverage);
  const range = `${first} to ${first + count - 1}`;
  if (values.write) writeSection("world", coverageTable(range, coverage.counts, violations));
  return violations === 0 ? 0 : 1;
}

async function mutate(search: Parameters<typeof checkMutations>[0], isWritten: boolean): Promise<number> {
  const lines: string[] = [];
  const isComplete = await checkMutations(search, (line) => {
    lines.push(line);
    process.stdout.write(`${line}\n`);
  });
  if (isWritten) writeSection(search.shards ? "shard mutations" : "mutations", lines.join("\n"));
  return isComplete ? 0 : 1;
}

async function runStoryOf(defect: string): Promise<number> {
  const story = [...MUTATIONS, ...SHARD_MUTATIONS].find(({ what }) => what === defect)?.story;
  if (!story) {
    process.stderr.write(`No defect with a story is "${defect}"\n`);
    return 2;
  }
  const violation = await violationOf(story);
  if (violation !== undefined)
    process.stdout.write(`story of ${story.events?.length ?? 0} events\n${violation}\n`);
  process.stdout.write(`${violation === undefined ? 0 : 1} violations in 0 s\n`);
  return violation === undefined ? 0 : 1;
}

/** Writes what was found and covered. Returns the number of violations. */
async function report(search: Search, coverage: Coverage): Promise<number> {
  const started = performance.now();
  process.stdout.write(`Seeds ${search.first} to ${search.first + search.seeds - 1}\n`);
  const violations = search.jobs > 1 ? await inJobs(search, coverage) : await here(search, coverage);
  const seconds = (performance.now() - started) / 1000;
  for (const [what, count] of [...coverage.counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    process.stdout.write(`${String(count).padStart(9)}  ${what}\n`);
  process.stdout.write(`${violations} violations in ${seconds.toFixed(0)} s\n`);
  return violations;
}

async function inJobs(
  { isAll, minutes, shrink, shards, ...range }: Search,
  coverage: Coverage,
): Promise<number> {
  const limits = ["--minutes", String(minutes), "--shrink", String(shrink)];
  if (shards !== undefined) limits.push("--shards", String(shards));
  const { findings, violations } = await searchInJobs(
    range,
    [...limits, ...(isAll ? ["--all"] : [])],
    coverage,
  );
  process.stdout.write(`${findings}\n`);
  return violations;
}

async function here(
  { seeds, first, minutes, shrink, shards, isAll }: Search,
  coverage: Coverage,
): Promise<number> {
  const started = performance.now();
  let violations = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    if (performance.now() - started > minutes * 60_000) break;
    const finding = await searchSeed(seed, coverage, shrink * 1000, shards);
    if (!finding) continue;
    violations++;
    process.stdout.write(findingText(finding));
    if (!isAll) break;
  }
  return violations;
}
