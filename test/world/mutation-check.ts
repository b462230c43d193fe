import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mutation, MUTATIONS } from "./mutations.ts";
import { SHARD_MUTATIONS } from "./shard-mutations.ts";
import { outputOf } from "./search-jobs.ts";

/**
 * Puts each defect into a copy of the exporter, lets the world search it, and writes a table line by line. Returns
 * whether the world has found each defect.
 * @throws if a search did not come to its end; the others end their present defects before.
 */
export async function checkMutations(
  { seeds, jobs, shards }: MutationSearch,
  write: (line: string) => void,
): Promise<boolean> {
  write("| Invariant | Defect | Stories until found | Events of the shrunk story | Found by |");
  write("|---|---|--:|--:|---|");
  const results: string[] = [];
  let written = 0;
  let isComplete = true;
  const waiting = [...(shards === undefined ? MUTATIONS : SHARD_MUTATIONS).entries()];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, mutation] = next;
      const found = await findMutation(mutation, seeds, shards).catch((error: unknown) => {
        waiting.length = 0;
        throw new Error(`Cannot search the defect "${mutation.what}"`, { cause: error });
      });
      isComplete &&= found !== undefined;
      results[index] = `| ${mutation.breaks} | ${mutation.what} | ${resultText(found, mutation, seeds)} |`;
      for (let line = results[written]; line !== undefined; line = results[++written]) write(line);
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: jobs }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return isComplete;
}

function resultText(found: Found | undefined, { story }: Mutation, seeds: number): string {
  if (!found) return `not in ${story ? "its story" : seeds} | |`;
  return `${found.stories ?? "its story"} | ${found.events} | ${found.invariant}`;
}

interface MutationSearch {
  readonly seeds: number;
  readonly jobs: number;
  /** In each story; undefined: the defects of one exporter are searched. */
  readonly shards: number | undefined;
}

interface Found {
  /** Undefined: the mutation has a story of its own. */
  readonly stories: number | undefined;
  readonly events: string;
  readonly invariant: string;
}

const COPIED = ["exporter", "test/world", "test/support", "test/gateway", "types", "package.json"];
const ROOT = join(import.meta.dirname, "../..");

/** Undefined: the world does not find it. `seeds`: how many stories are searched, unless the mutation has its own. */
export async function findMutation(
  { file, from, to, what, story }: Mutation,
  seeds: number,
  shards?: number,
): Promise<Found | undefined> {
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
    if (shards !== undefined) args.push("--shards", String(shards));
    return foundIn(await outputOf(story ? ["--story-of", what] : args, join(folder, "test/world/main.ts")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const SHRINK_SECONDS = 10;
const FIRST_SEED = 1;

function foundIn(output: string): Found | undefined {
  const [, seed, events, invariant] =
    /^(?:seed (\d+), shrunk \d+ times to|story of) (\d+) events\n([\w ]+):/m.exec(output) ?? [];
  if (events === undefined || invariant === undefined) return undefined;
  return { stories: seed === undefined ? undefined : Number(seed) - FIRST_SEED + 1, events, invariant };
}
