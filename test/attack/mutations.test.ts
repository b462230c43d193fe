import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../support/repository.ts";
import { kindsLike } from "./kind.ts";
import { MUTATIONS, mutated } from "./mutations.ts";

test.each(MUTATIONS.map((mutation) => [mutation.name, mutation] as const))(
  "mutated() still finds the limit on %s, and attacks that need it",
  (_name, mutation) => {
    for (const { file } of mutation.changes) {
      const text = readFileSync(join(ROOT, file), "utf8");
      expect(mutated(mutation, file, text)).not.toBe(text);
    }
    expect(mutation.kinds.length + mutation.tests.length).toBeGreaterThan(0);
    for (const file of mutation.tests) expect(existsSync(join(ROOT, file))).toBe(true);
    for (const kind of mutation.kinds) expect(kindsLike([kind])).not.toEqual([]);
  },
);
