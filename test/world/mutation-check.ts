import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Mutation, MUTATIONS } from "./mutations.ts";

/** Puts each defect into a copy of the exporter, lets the world search it, and writes a table line by line. */
export async function checkMutations(seeds: number, write: (line: string) => void): Promise<boolean> {
  write("| Breaks | Defect | Found in story | Events of the shrunk story | By |");
  write("|---|---|--:|--:|---|");
  let isComplete = true;
  for (const mutation of MUTATIONS) {
    const found = await findMutation(mutation, seeds);
    isComplete &&= found !== undefined;
    const result = found ? `${found.stories} | ${found.events} | ${found.invariant}` : `not in ${seeds} | |`;
    write(`| ${mutation.breaks} | ${mutation.what} | ${result} |`);
  }
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
    return foundIn(await outputOf(folder, seeds));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function outputOf(folder: string, seeds: number): Promise<string> {
  const args = [join(folder, "test/world/main.ts"), "--seeds", String(seeds), "--seed", String(FIRST_SEED)];
  const run = promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 });
  // The search fails when it finds something.
  return run.catch((error: { readonly stdout?: string }) => error).then(({ stdout = "" }) => stdout);
}

const FIRST_SEED = 1;

function foundIn(output: string): Found | undefined {
  const [, seed, events, invariant] =
    /^seed (\d+), shrunk \d+ times to (\d+) events\n([\w ]+):/m.exec(output) ?? [];
  if (seed === undefined || events === undefined || invariant === undefined) return undefined;
  return { stories: Number(seed) - FIRST_SEED + 1, events, invariant };
}
