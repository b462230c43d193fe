import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { LoadResult } from "../../exporter/config/load.ts";
import { loadText } from "../exporter/secrets/simulated-files.ts";
import { ROOT } from "../support/repository.ts";
import type { Problem } from "../../exporter/config/problem.ts";

const CASES = Number(process.env["FUZZ_CASES"] ?? 1000);
const SEED = process.env["FUZZ_SEED"];

/**
 * A property's share of about a thousand inputs: `FUZZ_CASES=20000 npm run fuzz` draws twenty times as many. The inputs
 * are the same at each run, but random with `FUZZ_CASES`. A failure prints the seed; `FUZZ_SEED` repeats it.
 */
function runs(share: number): { readonly numRuns: number; readonly seed?: number } {
  const seed = SEED === undefined ? (process.env["FUZZ_CASES"] ? undefined : 20261121) : Number(SEED);
  return { numRuns: Math.ceil((share * CASES) / 1000), ...(seed !== undefined && { seed }) };
}

/** The timeout of a test. */
const TIMEOUT_MS = 180_000 * Math.ceil(CASES / 1000);

/** Secrets as services issue them. A truncated one is not a secret. */
const SECRET = `sk-or-v1-${"5ec2e7".repeat(8)}`;
/** Secrets in files and variables that a configuration names, where they belong. */
const HELD = `sk-or-v1-${"0dd5a1".repeat(8)}`;
const HIDDEN = /(?:5ec2e7|0dd5a1){4}/;

/** Problems of the whole file have no path; all others need one. */
const OF_THE_WHOLE =
  /^(?:line \d+, column \d+: |is empty|(?:.+ )?is not a mapping|is not YAML|its aliases|nothing to poll)/;

/** The defects of reported problems. */
function faultsOfProblems(problems: readonly Problem[]): string[] {
  return problems.length === 0 ? ["says nothing"] : problems.flatMap(faultOf);
}

function faultOf({ path, message }: Problem): string[] {
  const told = `${path} ${message}`;
  if (HIDDEN.test(told)) return [`shows a secret: ${told}`];
  const isLost = message === "" || (path === "" && !OF_THE_WHOLE.test(message));
  return isLost ? [`has no location: ${message}`] : [];
}

/** Tokens with a meaning in YAML. */
const SIGNS = [
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
  "%",
  "@",
  "---\n",
];

/** A text with some characters replaced, removed, doubled or moved. */
function mutated(text: string): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.constantFrom(...SIGNS),
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

/** A value with one or two parts replaced, as the text of a configuration. */
function changedPlaces(value: unknown): fc.Arbitrary<string> {
  const change = fc.tuple(fc.constantFrom(...pathsOf(value)), strange);
  return fc
    .array(change, { minLength: 1, maxLength: 2 })
    .map((all) => JSON.stringify(all.reduce<unknown>((made, [path, by]) => replaced(made, path, by), value)));
}

/** A path into a value. */
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

/** The defects of an outcome. */
function faultsOf(result: LoadResult): string[] {
  if (result.ok) {
    // A name may equal a secret, but the values must not contain what was read.
    const values = JSON.stringify(result.config).replaceAll(SECRET, "");
    return [...result.warnings, values]
      .filter((text) => HIDDEN.test(text))
      .map((text) => `shows a secret: ${text}`);
  }
  return faultsOfProblems(result.problems);
}

/** Counts of each outcome, so that no property holds trivially. */
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

describe("any configuration is accepted or refused with paths, and shows no secret", () => {
  test("the example is accepted", async () => {
    const result = await loadText(EXAMPLE, AROUND);
    expect([result.ok, faultsOf(result)]).toEqual([true, []]);
  });

  test(
    "the example with some characters changed",
    async () => {
      const seen = await outcomes(mutated(EXAMPLE), (text) => text, 75);
      expect(Math.min(seen.ok, seen.refused)).toBeGreaterThan(4);
    },
    TIMEOUT_MS,
  );

  test(
    "the example with any value in some places",
    async () => {
      const seen = await outcomes(changedPlaces(parse(EXAMPLE)), (text) => text, 75);
      expect(Math.min(seen.ok, seen.refused)).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
