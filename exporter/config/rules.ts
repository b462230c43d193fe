import type { z } from "zod";

/** A value as parsed by zod, with its problems. Invalid fields keep their original values. */
export interface Checked<Value> {
  readonly value: Value;
  readonly issues: readonly Issue[];
}

/** The part of zod's issue that rules need. */
interface Issue {
  readonly path?: readonly PropertyKey[] | undefined;
  /** Unknown fields. */
  readonly keys?: unknown;
}

/** Something that must be changed, at the path of a field. */
export interface Finding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Adds a finding. */
export type Report = (path: readonly PropertyKey[], message: string) => void;

/**
 * Adds rules between fields. They are checked even if other fields are invalid, so that every problem is reported at
 * once.
 */
export function withRules<Section extends z.ZodObject>(
  section: Section,
  check: (checked: Checked<z.output<Section>>, report: Report) => void,
): Section {
  return section.superRefine((value, context) => {
    check({ value, issues: [...context.issues] }, (path, message) =>
      context.addIssue({ code: "custom", path: [...path], message }),
    );
  }, MAPPINGS);
}
/** Checks a value against a section. Returns the readable parts even of an invalid value. */
export function inspect<Section extends z.ZodObject>(section: Section, value: unknown) {
  const read: Checked<z.output<Section>>[] = [];
  const parsed = section
    .superRefine((known, { issues }) => void read.push({ value: known, issues: [...issues] }), MAPPINGS)
    .safeParse(value);
  return { data: parsed.data, error: parsed.error, checked: read[0] };
}

/** The value of a valid field; undefined if it is missing or invalid. */
export function right<Value, Name extends keyof Value>(
  { value, issues }: Checked<Value>,
  name: Name,
): Value[Name] | undefined {
  const isWrong = !isMapping(value) || issues.some(({ path }) => path?.[0] === name);
  return isWrong ? undefined : value[name];
}

/** Whether a field has a value, valid or not, or a default. */
export function has<Value>({ value }: Checked<Value>, name: keyof Value): boolean {
  return isMapping(value) && value[name] !== undefined;
}

/** The entries of a list. */
export function entriesOf<Value, Name extends keyof Value>(
  { value, issues }: Checked<Value>,
  name: Name,
): readonly Checked<EntryOf<Value[Name]>>[] {
  const list = value[name];
  if (!Array.isArray(list)) return [];
  // One pass over the issues, because thousands of keys may all be invalid.
  const byIndex = Map.groupBy(below(issues, name), ({ path }) => path?.[0]);
  return list.map((entry, index) => ({
    value: entry,
    issues: (byIndex.get(index) ?? []).flatMap((issue) => below([issue], index)),
  }));
}

type EntryOf<List> = List extends readonly (infer Entry)[] ? Entry : never;

/** A section within another one. */
export function sectionOf<Value, Name extends keyof Value>(
  { value, issues }: Checked<Value>,
  name: Name,
): Checked<NonNullable<Value[Name]>> | undefined {
  const section = value[name];
  return isMapping(section) ? { value: section, issues: below(issues, name) } : undefined;
}

/** The issues of a field or an entry, with paths relative to it. */
function below(issues: readonly Issue[], step: PropertyKey): readonly Issue[] {
  return issues
    .filter(({ path }) => path?.[0] === step)
    .map((issue) => ({ ...issue, path: issue.path?.slice(1) }));
}

function isMapping(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without `when`, zod skips a check after another problem. */
const MAPPINGS = { when: ({ value }: { readonly value: unknown }) => isMapping(value) };
