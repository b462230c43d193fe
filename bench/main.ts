import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Benchmark } from "./benchmark.ts";
import { benchmarks } from "./index.ts";
import peers from "./package.json" with { type: "json" };
import { isInstalled } from "./peers.ts";
import { report } from "./report.ts";
import { run } from "./run.ts";
import { judge } from "./verdict.ts";
import { arch, availableParallelism, cpus, release, totalmem, type } from "node:os";
import { median } from "./statistics.ts";

const FOLDER = import.meta.dirname;
const RESULTS = join(FOLDER, "results.md");
/** The calibration is the median of several runs, so that a single interruption does not count as noise. */
const PIECES = 7;
const STEPS = 6_000_000;

/** Runs the named benchmarks, or all. Returns 0 if every measured goal meets its bar, 1 if not, 2 for a usage error. */
async function main(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => !benchmarks.some((benchmark) => isNamed(benchmark, name)));
  if (unknown !== undefined) {
    const known = benchmarks.map(({ name }) => name).join(", ");
    process.stderr.write(`Unknown benchmark "${unknown}": expected a folder or one of ${known}\n`);
    return 2;
  }
  const chosen = benchmarks.filter(
    (benchmark) => names.length === 0 || names.some((name) => isNamed(benchmark, name)),
  );
  await installPeers();
  const reports: string[] = [];
  let isGood = true;
  for (const benchmark of chosen) {
    const { text, isMet } = await runOne(benchmark);
    process.stdout.write(`${text}\n`);
    reports.push(text);
    isGood &&= isMet;
  }
  // The page is written only after a full run, so that all its figures come from one machine and one run.
  if (names.length === 0) writeFileSync(RESULTS, resultsPage(reports));
  return isGood ? 0 : 1;
}

/** Selects benchmarks by name (`poll/gap`) or by folder (`poll`). */
function isNamed({ name }: Benchmark, asked: string): boolean {
  return name === asked || name.startsWith(`${asked}/`);
}

async function runOne(benchmark: Benchmark): Promise<{ text: string; isMet: boolean }> {
  try {
    const measurement = await run(benchmark, { calibrate, onProgress: progress });
    const verdicts = judge(measurement).map(({ verdict }) => verdict);
    const isMet = verdicts.every((verdict) => verdict !== "missed" && verdict !== "too noisy to judge");
    return { text: report(measurement), isMet };
  } catch (error) {
    progress(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return {
      text: `## ${benchmark.name}\n\n${benchmark.title}\n\nFailed: ${String(error)}.\n`,
      isMet: false,
    };
  }
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/**
 * Installs the libraries to compare with, which form a separate package. If that fails, the contenders that
 * need them are skipped.
 */
async function installPeers(): Promise<void> {
  if (Object.keys(peers.dependencies).every(isInstalled)) return;
  progress("Installing the libraries to compare with into bench/ (once)");
  await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund"], { cwd: FOLDER }).catch(
    (error: unknown) => progress(`Cannot install the libraries: ${String(error)}`),
  );
}

function resultsPage(reports: readonly string[]): string {
  return `# Results

Written by \`npm run bench\` when all benchmarks have run. Figures are medians, with the smallest and largest round in brackets; ratios and
differences are computed within each round. [docs/performance.md](../docs/performance.md) explains how to read and repeat them.

${machine()}

${reports.join("\n")}`;
}

/** Describes the machine of the measurement, without anything that identifies its owner. */
function machine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const system = `${type()} ${release().split("-")[0]} ${arch()}`;
  return `${model}, ${availableParallelism()} cores, ${memory}, ${system}, Node ${process.version}`;
}

/**
 * Measures how long a fixed computation takes at the moment, in milliseconds. It runs between the rounds,
 * while no contender works, so whatever slows it down also slows down the rounds.
 */
function calibrate(): number {
  return median(Array.from({ length: PIECES }, piece));
}

function piece(): number {
  const start = performance.now();
  let state = 1;
  for (let step = 0; step < STEPS; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  const tookMs = performance.now() - start;
  // Use the result, so that the compiler cannot remove the computation.
  return state === 0 ? tookMs + Number.MIN_VALUE : tookMs;
}

// Handles left open by a failed benchmark must not keep this process alive; its children exit with it.
process.exit(await main(process.argv.slice(2)));
