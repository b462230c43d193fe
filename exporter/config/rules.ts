import type { z } from "zod";

/** A value as zod has read it, and what is wrong with it. Wrong fields have the values that were written. */
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

/** A rule between fields that is broken. */
export interface Finding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Adds rules between fields. They are checked even if something else is wrong, so that every problem is reported at once. */
export function withRules<Section extends z.ZodObject>(
  section: Section,
  broken: (checked: Checked<z.output<Section>>) => readonly Finding[],
): Section {
  return section.superRefine((value, context) => {
    for (const { path, message } of broken({ value, issues: context.issues })) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  }, MAPPINGS);
}

/** Checks a value against a section. It also returns what could be read of a value that is wrong. */
export function inspect<Section extends z.ZodObject>(section: Section, value: unknown) {
  const read: Checked<z.output<Section>>[] = [];
  const parsed = section
    .superRefine((known, { issues }) => void read.push({ value: known, issues: [...issues] }), MAPPINGS)
    .safeParse(value);
  return { data: parsed.data, error: parsed.error, checked: read[0] };
}

/** The value of a field that is right; undefined when it is missing or wrong. */
export function right<Value, Name extends keyof Value>(
  { value, issues }: Checked<Value>,
  name: Name,
): Value[Name] | undefined {
  const isWrong = !isMapping(value) || issues.some(({ path }) => path?.[0] === name);
  return isWrong ? undefined : value[name];
}

/** Whether a field is written, right or wrong, or has a default. */
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
  // One pass over the issues: thousands of keys may all be wrong.
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

/** The issues of a field or an entry, with paths that start there. */
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
