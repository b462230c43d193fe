import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { LoadResult } from "../../exporter/config/load.ts";
import type { Problem } from "../../exporter/config/problem.ts";
import { loadText } from "../exporter/config/simulated-files.ts";
import { ROOT } from "../support/repository.ts";
import { runs, TIMEOUT_MS } from "./runs.ts";

/** As services make them. What remains of one that was cut is no secret. */
const SECRET = `sk-or-v1-${"5ec2e7".repeat(8)}`;
/** In the files and variables that the configuration names, as it should be. */
const HELD = `sk-or-v1-${"0dd5a1".repeat(8)}`;
const HIDDEN = /(?:5ec2e7|0dd5a1){4}/;
const EXAMPLE = readFileSync(join(ROOT, "config.example.yaml"), "utf8");

/** What the example refers to. */
const AROUND = {
  files: {
    "/run/secrets/billing": HELD,
    "/run/secrets/management": `${HELD}m\n`,
    "/run/secrets/keys/mobile": `${HELD}1\n`,
    "/run/secrets/keys/Wrong Name": HELD,
  },
  env: { SEARCH_KEY: `${HELD}2` },
};

/** Problems of the file as a whole have no path; all others must tell where. */
const OF_THE_WHOLE =
  /^(?:line \d+, column \d+: |is empty|is not a mapping|is not YAML|its aliases|there is nothing to poll)/;

/** What is wrong with an outcome. */
function faultsOf(result: LoadResult): string[] {
  if (result.ok) {
    // A name that is a secret is a name all the same, but nothing that was read may stand in the values.
    const values = JSON.stringify(result.config).replaceAll(SECRET, "");
    return [...result.warnings, values]
      .filter((text) => HIDDEN.test(text))
      .map((text) => `shows a secret: ${text}`);
  }
  return result.problems.length === 0 ? ["says nothing"] : result.problems.flatMap(faultOf);
}

function faultOf({ path, message }: Problem): string[] {
  const told = `${path} ${message}`;
  if (HIDDEN.test(told)) return [`shows a secret: ${told}`];
  const isLost = message === "" || (path === "" && !OF_THE_WHOLE.test(message));
  return isLost ? [`does not tell where: ${message}`] : [];
}

/** Numbers of each outcome, so that a property is not true of nothing. */
async function outcomes<T>(input: fc.Arbitrary<T>, toText: (input: T) => string, count: number) {
  const seen = { ok: 0, refused: 0 };
  const property = fc.asyncProperty(input, async (drawn) => {
    const result = await loadText(toText(drawn), AROUND);
    expect(faultsOf(result)).toEqual([]);
    seen[result.ok ? "ok" : "refused"] += 1;
  });
  await fc.assert(property, runs(count));
  return seen;
}

/** A text with some of its characters replaced, lost, doubled or moved. */
function mutated(text: string): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.constantFrom(
      "\t",
      "\n",
      ": ",
      "- ",
      "{",
      "}",
      "[",
      "]",
      "&a ",
      "*a",
      "!!",
      "<<: ",
      "|",
      ">",
      '"',
      "'",
      "#",
      "0",
    ),
    fc.constantFrom(SECRET, `api_key: ${SECRET}`, `"${SECRET}`, `*${SECRET}`, `!${SECRET} `),
  );
  const edit = fc.record({ at: fc.nat(text.length), cut: fc.nat(12), piece });
  return fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) =>
      edits.reduce((all, { at, cut, piece: put }) => all.slice(0, at) + put + all.slice(at + cut), text),
    );
}

type Path = readonly (string | number)[];

/** Where something stands in the example. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const inside = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [
    path,
    ...inside.flatMap(([step, child]: [string | number, unknown]) => pathsOf(child, [...path, step])),
  ];
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value))
    return value.map((child, index) => (index === step ? replaced(child, rest, by) : child));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, name === step ? replaced(child, rest, by) : child]),
  );
}

const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    SECRET,
    [SECRET],
    { api_key: SECRET },
    { [SECRET]: 1 },
    "",
    -1,
    Number.MAX_VALUE,
    "0s",
    "1d",
    "* * * * *",
  ),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.string({ unit: fc.constantFrom("a", "z", "0", "9", "_", ".", "-"), minLength: 1 }),
  fc.nat(),
);

describe("any configuration is accepted or refused with places, and shows no secret", () => {
  test("the example is accepted", async () => {
    const result = await loadText(EXAMPLE, AROUND);
    expect([result.ok, faultsOf(result)]).toEqual([true, []]);
  });

  test(
    "any text",
    async () => {
      const text = fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: "binary", maxLength: 200 }));
      expect((await outcomes(text, (drawn) => drawn, 400)).refused).toBeGreaterThan(300);
    },
    TIMEOUT_MS,
  );

  test(
    "any value",
    async () => {
      const seen = await outcomes(fc.jsonValue({ maxDepth: 4 }), (value) => stringify(value), 200);
      expect(seen.refused).toBeGreaterThan(150);
    },
    TIMEOUT_MS,
  );

  test(
    "the example with some characters changed",
    async () => {
      const seen = await outcomes(mutated(EXAMPLE), (text) => text, 250);
      expect(Math.min(seen.ok, seen.refused)).toBeGreaterThan(20);
    },
    TIMEOUT_MS,
  );

  test(
    "the example with anything in some places",
    async () => {
      const value: unknown = parse(EXAMPLE);
      const change = fc.tuple(fc.constantFrom(...pathsOf(value)), strange);
      const changes = fc.array(change, { minLength: 1, maxLength: 2 });
      const seen = await outcomes(
        changes,
        (all) => JSON.stringify(all.reduce<unknown>((made, [path, by]) => replaced(made, path, by), value)),
        250,
      );
      expect(Math.min(seen.ok, seen.refused)).toBeGreaterThan(2);
    },
    TIMEOUT_MS,
  );
});
