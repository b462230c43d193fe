import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../support/repository.ts";
import { runAttack } from "./attack.ts";
import { kindsLike } from "./kind.ts";
import { type Mutation, MUTATIONS, mutated } from "./mutations.ts";
import { reportOf } from "./report.ts";

// Removes each limit of the exporter from a copy, attacks the copy, and prints which bounds notice. Arguments select
// mutations by parts of their names. Exit code 1 if one was not noticed.
const SEED = 20261122;
const LENGTH_MS = 45_000;

const wanted = process.argv.slice(2);
const chosen = MUTATIONS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((text) => name.includes(text)),
);
process.stdout.write("| Removed | Noticed by |\n| --- | --- |\n");
for (const mutation of chosen) {
  const noticed = await attacked(mutation);
  process.stdout.write(
    `| ${mutation.name} | ${noticed.length === 0 ? "**nothing**" : noticed.join(", ")} |\n`,
  );
  if (noticed.length === 0) process.exitCode = 1;
}

async function attacked(mutation: Mutation): Promise<readonly string[]> {
  const app = mkdtempSync(join(tmpdir(), "attack-mutation-"));
  try {
    cpSync(join(ROOT, "exporter"), join(app, "exporter"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(app, "package.json"));
    for (const { file } of mutation.changes) {
      const path = join(app, file);
      writeFileSync(path, mutated(mutation, file, readFileSync(path, "utf8")));
    }
    const options = { lengthMs: LENGTH_MS, seed: SEED, kinds: kindsLike(mutation.kinds), app };
    const result = await runAttack(options, new AbortController().signal);
    if (process.env["ATTACK_VERBOSE"] === "1") process.stderr.write(reportOf(result));
    return [...result.breaches.keys()];
  } catch (error) {
    // The copy does not even start, or does not last.
    return [`it does not run: ${String(error).slice(0, 100)}`];
  } finally {
    rmSync(app, { recursive: true, force: true });
  }
}
