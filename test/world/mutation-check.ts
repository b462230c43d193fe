import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mutation, MUTATIONS } from "./mutations.ts";
import { outputOf } from "./search-jobs.ts";

/**
 * Puts each defect into a copy of the exporter, lets the world search it, and writes a table line by line. Returns
 * whether the world has found each defect.
 */
export async function checkMutations(
  { seeds, jobs }: { readonly seeds: number; readonly jobs: number },
  write: (line: string) => void,
): Promise<boolean> {
  write("| Invariant | Defect | Stories until found | Events of the shrunk story | Found by |");
  write("|---|---|--:|--:|---|");
  const results: string[] = [];
  let written = 0;
  let isComplete = true;
  const waiting = [...MUTATIONS.entries()];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, mutation] = next;
      const found = await findMutation(mutation, seeds);
      isComplete &&= found !== undefined;
      const result = found
        ? `${found.stories} | ${found.events} | ${found.invariant}`
        : `not in ${seeds} | |`;
      results[index] = `| ${mutation.breaks} | ${mutation.what} | ${result} |`;
      for (let line = results[written]; line !== undefined; line = results[++written]) write(line);
    }
  }
  await Promise.all(Array.from({ length: jobs }, work));
  return isComplete;
}

interface Found {
  readonly stories: number;
  readonly events: string;
  readonly invariant: string;
}

const COPIED = ["exporter", "test/world", "test/support", "test/gateway", "types", "package.json"];
const ROOT = join(import.meta.dirname, "../..");

async function findMutation({ file, from, to }: Mutation, seeds: number): Promise<Found | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "world-mutation-"));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const path = join(folder, "exporter", file);
    const source = readFileSync(path, "utf8");
    if (source.split(from).length !== 2)
      throw new Error(`Cannot mutate ${file}: it does not contain once: ${from}`);
    writeFileSync(
      path,
      source.replace(from, () => to),
    );
    const args = ["--seeds", String(seeds), "--seed", String(FIRST_SEED), "--shrink", String(SHRINK_SECONDS)];
    return foundIn(await outputOf(args, join(folder, "test/world/main.ts")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const SHRINK_SECONDS = 10;
const FIRST_SEED = 1;

function foundIn(output: string): Found | undefined {
  const [, seed, events, invariant] =
    /^seed (\d+), shrunk \d+ times to (\d+) events\n([\w ]+):/m.exec(output) ?? [];
  if (seed === undefined || events === undefined || invariant === undefined) return undefined;
  return { stories: Number(seed) - FIRST_SEED + 1, events, invariant };
}
