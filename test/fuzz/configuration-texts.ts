import * as fc from "fast-check";
import type { Problem } from "../../exporter/config/problem.ts";

/** Secrets as services issue them. A truncated one is not a secret. */
export const SECRET = `sk-or-v1-${"5ec2e7".repeat(8)}`;
/** Secrets in files and variables that a configuration names, where they belong. */
export const HELD = `sk-or-v1-${"0dd5a1".repeat(8)}`;
export const HIDDEN = /(?:5ec2e7|0dd5a1){4}/;

/** Problems of the whole file have no path; all others need one. */
const OF_THE_WHOLE =
  /^(?:line \d+, column \d+: |is empty|(?:.+ )?is not a mapping|is not YAML|its aliases|nothing to poll)/;

/** The defects of reported problems. */
export function faultsOfProblems(problems: readonly Problem[]): string[] {
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
export function mutated(text: string): fc.Arbitrary<string> {
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
export function changedPlaces(value: unknown): fc.Arbitrary<string> {
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
