import { draftOf, type Draft } from "./draft.ts";
import { problemsOf, withoutRepetitions, type Problem } from "./problem.ts";
import { configFile, type ConfigFile } from "./schema.ts";
import { parseYaml } from "./yaml-text.ts";

export type ParseResult =
  | { readonly ok: true; readonly file: ConfigFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Checks a configuration, as the text of the file or as its values, without a look at files and environment:
 * all that can be known before it is deployed.
 */
export function parseConfig(source: unknown): ParseResult {
  const { file, problems } = inspectConfig(source);
  return file && problems.length === 0 ? { ok: true, file } : { ok: false, problems };
}

export interface Inspection {
  /** Absent when a field is wrong. */
  readonly file: ConfigFile | undefined;
  readonly draft: Draft;
  readonly problems: readonly Problem[];
}

export function inspectConfig(source: unknown): Inspection {
  const yaml = typeof source === "string" ? parseYaml(source) : { value: source, problems: [] };
  const isUnreadable = yaml.value === undefined && yaml.problems.length > 0;
  if (isUnreadable) return { file: undefined, draft: NOTHING, problems: yaml.problems };
  const fault = rootFault(yaml.value);
  if (fault !== undefined) {
    return { file: undefined, draft: NOTHING, problems: [...yaml.problems, { path: "", message: fault }] };
  }
  const parsed = configFile.safeParse(yaml.value);
  const draft = draftOf(yaml.value);
  const shape = parsed.success ? [] : problemsOf(parsed.error);
  return {
    file: parsed.data,
    draft,
    problems: withoutRepetitions([...yaml.problems, ...shape, ...draft.problems]),
  };
}

const NOTHING: Draft = {
  keys: [],
  keysDirectory: undefined,
  managementKey: undefined,
  budgets: [],
  probes: [],
  problems: [],
};

function rootFault(value: unknown): string | undefined {
  if (value === null || value === undefined)
    return "is empty; gateway.base_url and a key are the least it needs";
  if (typeof value !== "object" || Array.isArray(value)) {
    return "is not a mapping of fields such as gateway and keys";
  }
  return undefined;
}
