import { findingsOf, type Problem, problemsOf } from "./problem.ts";
import { type Checked, type Finding, inspect } from "./rules.ts";
import { configFile, type ConfigFile } from "./schema.ts";
import { type ParsedYaml, parseYaml } from "./yaml-text.ts";

export type ParseResult =
  | { readonly ok: true; readonly file: ConfigFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Checks a configuration, as the text of the file or as its values, without files and environment: every check that
 * is possible before deployment.
 */
export function parseConfig(source: unknown): ParseResult {
  const yaml = typeof source === "string" ? parseYaml(source) : { value: source, findings: [] };
  const { file, findings } = inspectConfig(yaml);
  return file && findings.length === 0 ? { ok: true, file } : { ok: false, problems: problemsOf(findings) };
}

export interface Inspection {
  /** Absent if a field is wrong. */
  readonly file?: ConfigFile | undefined;
  /** The readable fields; absent if there are none. */
  readonly checked?: Checked<ConfigFile> | undefined;
  readonly findings: readonly Finding[];
}

/** Checks a configuration and keeps the valid parts, so that the files they name can be checked as well. */
export function inspectConfig({ value, findings }: Pick<ParsedYaml, "value" | "findings">): Inspection {
  if (value === undefined && findings.length > 0) return { findings };
  const fault = rootFault(value);
  if (fault !== undefined) return { findings: [...findings, { path: [], message: fault }] };
  const { data, error, checked } = inspect(configFile, value);
  return { file: data, checked, findings: [...findings, ...findingsOf(error)] };
}

function rootFault(value: unknown): string | undefined {
  if (value === null || value === undefined) return "is empty; it needs at least gateway.base_url and a key";
  if (typeof value !== "object" || Array.isArray(value)) {
    return "is not a mapping of fields such as gateway and keys";
  }
  return undefined;
}
