import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ROOT } from "../support/repository.ts";
import { runAttack } from "./attack.ts";
import { kindsLike } from "./kind.ts";
import { type Mutation, MUTATIONS, mutated } from "./mutations.ts";
import { table } from "./report.ts";

const SEED = 20261122;
const LENGTH_MS = 45_000;

/** What noticed that a limit was removed. Undefined: it was not asked. */
export interface Notice {
  readonly mutation: Mutation;
  readonly byAttack: readonly string[] | undefined;
  readonly byTests: readonly string[] | undefined;
}

/**
 * Removes each limit of the exporter from a copy, and reports which bounds of an attack and which tests notice. Without
 * names, all limits.
 */
export async function runMutations(
  names: readonly string[],
  onProgress: (text: string) => void,
): Promise<readonly Notice[]> {
  const chosen = MUTATIONS.filter(
    ({ name }) => names.length === 0 || names.some((text) => name.includes(text)),
  );
  const [byAttack, byTests] = await Promise.all([
    oneByOne(chosen, async (mutation, copy) => {
      if (mutation.kinds.length === 0) return undefined;
      const noticed = await attacked(mutation, copy);
      onProgress(`"${mutation.name}" removed: the attack notices ${noticed.join(", ") || "nothing"}`);
      return noticed;
    }),
    oneByOne(chosen, async (mutation, copy) => {
      if (mutation.tests.length === 0) return undefined;
      const noticed = await failing(mutation.tests, copy);
      onProgress(`"${mutation.name}" removed: ${noticed.join(", ") || "no test"} fails`);
      return noticed;
    }),
  ]);
  return chosen.map((mutation, index) => ({ mutation, byAttack: byAttack[index], byTests: byTests[index] }));
}

export function isNoticed({ byAttack = [], byTests = [] }: Notice): boolean {
  return byAttack.length + byTests.length > 0;
}

/** The table of the documentation. */
export function mutationTable(notices: readonly Notice[]): string {
  const rows = notices.map((notice) => [
    notice.mutation.name,
    textOf(notice.byAttack),
    textOf(notice.byTests?.map((path) => `\`${path}\``)),
  ]);
  return table(["Removed", "Bounds of the attack that notice", "Tests that fail"], rows);
}

function textOf(noticed: readonly string[] | undefined): string {
  if (!noticed) return "not run";
  return noticed.length === 0 ? "none" : noticed.join(", ");
}

type Look = (mutation: Mutation, copy: string) => Promise<readonly string[] | undefined>;

/** Each mutation in a copy of the repository of its own. */
async function oneByOne(mutations: readonly Mutation[], look: Look) {
  const results: Awaited<ReturnType<Look>>[] = [];
  for (const mutation of mutations) {
    const copy = mkdtempSync(join(tmpdir(), "attack-mutation-"));
    try {
      cpSync(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
      symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
      for (const file of new Set(mutation.changes.map((change) => change.file))) {
        const path = join(copy, file);
        writeFileSync(path, mutated(mutation, file, readFileSync(path, "utf8")));
      }
      results.push(await look(mutation, copy));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
  return results;
}

const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git"]);

async function attacked({ kinds }: Mutation, app: string): Promise<readonly string[]> {
  const options = { lengthMs: LENGTH_MS, seed: SEED, kinds: kindsLike(kinds), app };
  const { breaches } = await runAttack(options, new AbortController().signal);
  return [...breaches.keys()];
}

/** The test files that fail. */
async function failing(files: readonly string[], copy: string): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const file of files) {
    const vitest = join(copy, "node_modules", "vitest", "vitest.mjs");
    const child = spawn(process.execPath, [vitest, "run", file], { cwd: copy, stdio: "ignore" });
    await once(child, "exit");
    if (child.exitCode !== 0) failed.push(file);
  }
  return failed;
}
