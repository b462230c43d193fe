import { MOST_SHOWN, problemsOf, withoutRepetitions, type Problem } from "./problem.ts";
import { type Checked, inspect } from "./rules.ts";
import { configFile, type ConfigFile, LISTS } from "./schema.ts";
import { type ParsedYaml, parseYaml } from "./yaml-text.ts";

export type ParseResult =
  | { readonly ok: true; readonly file: ConfigFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Checks a configuration, as the text of the file or as its values, without files and environment: every check that
 * is possible before deployment.
 */
export function parseConfig(source: unknown): ParseResult {
  const yaml =
    typeof source === "string" ? parseYaml(source) : { value: source, problems: [], lineOf: () => undefined };
  const { file, problems } = inspectConfig(yaml);
  return file && problems.length === 0 ? { ok: true, file } : { ok: false, problems };
}

export interface Inspection {
  /** Absent if a field is wrong. */
  readonly file: ConfigFile | undefined;
  /** The readable fields; absent if there are none. */
  readonly checked: Checked<ConfigFile> | undefined;
  readonly problems: readonly Problem[];
}

/** Checks a configuration and keeps the valid parts, so that the files they name can be checked as well. */
export function inspectConfig(yaml: ParsedYaml): Inspection {
  const isUnreadable = yaml.value === undefined && yaml.problems.length > 0;
  const fault = isUnreadable ? undefined : rootFault(yaml.value);
  if (isUnreadable || fault !== undefined) {
    const problems = fault === undefined ? [] : [{ path: "", message: fault }];
    return { file: undefined, checked: undefined, problems: [...yaml.problems, ...problems] };
  }
  const many = manyProblems(yaml.value);
  if (many.length > 0) return { file: undefined, checked: undefined, problems: [...yaml.problems, ...many] };
  const { data, error, checked } = inspect(configFile, yaml.value);
  const problems = withoutRepetitions([...yaml.problems, ...(error ? problemsOf(error) : [])]);
  return { file: data, checked, problems };
}

function rootFault(value: unknown): string | undefined {
  if (value === null || value === undefined) return "is empty; it needs at least gateway.base_url and a key";
  if (typeof value !== "object" || Array.isArray(value)) {
    return "is not a mapping of fields such as gateway and keys";
  }
  if (valuesIn(value, MOST_VALUES) >= MOST_VALUES) {
    return `is too large: it has ${MOST_VALUES} values or more, counting those of aliases`;
  }
  return undefined;
}

/**
 * The problems of a list that has more of them than are shown; otherwise empty. The rest of the file is not checked
 * then: each wrong entry takes time, in which no scrape is answered.
 */
function manyProblems(file: unknown): readonly Problem[] {
  for (const [name, entry] of Object.entries(LISTS)) {
    const problems: Problem[] = [];
    for (const [index, value] of entriesOf(file, name).entries()) {
      const { error } = entry.safeParse(value);
      if (error) problems.push(...problemsOf(error, [name, index]));
      if (problems.length > MOST_SHOWN) return problems;
    }
  }
  return [];
}

function entriesOf(file: unknown, name: string): readonly unknown[] {
  const list: unknown = typeof file === "object" && file !== null ? Reflect.get(file, name) : undefined;
  return Array.isArray(list) ? list : [];
}

/** 10,000 keys with their owners have fewer. Each wrong one is a problem, which takes time and memory. */
const MOST_VALUES = 80_000;

/** How deep the sections are. Aliases can nest values deeper, even without end. */
const DEEPEST = 6;

/** The entries of lists and the fields of mappings, at all depths that are read; no more than `most` are counted. */
function valuesIn(value: unknown, most: number, depth = DEEPEST): number {
  if (typeof value !== "object" || value === null || depth === 0) return 0;
  let count = 0;
  for (const each of Object.values(value)) {
    if (count >= most) break;
    count += 1 + valuesIn(each, most - count - 1, depth - 1);
  }
  return count;
}
