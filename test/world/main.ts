import { parseArgs } from "node:util";
import { createCoverage } from "./coverage.ts";
import { checkMutations } from "./mutation-check.ts";
import { findingText, searchSeed } from "./search.ts";

const HELP = `World: the whole exporter in thousands of simulated worlds (CONTRIBUTING.md).

Usage: npm run world -- [options]
  --seeds <n>     number of stories (1000)
  --seed <n>      the first seed; a random one by default
  --minutes <n>   end after this time
  --all           continue after a violation
  --mutations     prove that the world finds each of the defects in mutations.ts
  --help          this text

Exit codes: 0 no violation, 1 a violation, 2 usage error.
`;

const OPTIONS = {
  seeds: { type: "string", default: "1000" },
  seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
  minutes: { type: "string", default: "1000000" },
  all: { type: "boolean", default: false },
  mutations: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** How long a violation is shrunk. */
const SHRINK_MS = 60_000;

process.exitCode = await run(process.argv.slice(2));

async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS, allowPositionals: false });
  const [seeds, first, minutes] = [values.seeds, values.seed, values.minutes].map(Number);
  if (values.help || !seeds || first === undefined || Number.isNaN(first) || !minutes) {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  if (values.mutations)
    return (await checkMutations(seeds, (line) => process.stdout.write(`${line}\n`))) ? 0 : 1;
  const coverage = createCoverage();
  const started = performance.now();
  let violations = 0;
  process.stdout.write(`Seeds ${first} to ${first + seeds - 1}\n`);
  for (let seed = first; seed < first + seeds; seed++) {
    if (performance.now() - started > minutes * 60_000) break;
    const finding = await searchSeed(seed, coverage, SHRINK_MS);
    if (!finding) continue;
    violations++;
    process.stdout.write(findingText(finding));
    if (!values.all) break;
  }
  const seconds = (performance.now() - started) / 1000;
  for (const [what, count] of [...coverage.counts].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    process.stdout.write(`${String(count).padStart(9)}  ${what}\n`);
  process.stdout.write(`${violations} violations in ${seconds.toFixed(0)} s\n`);
  return violations === 0 ? 0 : 1;
}
