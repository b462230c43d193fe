import { basename } from "node:path/posix";

import { CONSTANT, LAWS, PACKAGES, type Law, matches, wordsOf } from "./import-law.ts";
import { type SourceText, importsOf } from "./source-file.ts";

export interface Violation {
  readonly rule: Rule;
  /** `file:line`, where there is a line. */
  readonly at: string;
  readonly message: string;
}

export type Rule = "import-law" | "package-law" | "no-drawer" | "documented";

/** Finds what the linter does not see of the design in the TypeScript files of the repository. */
export function checkArchitecture(files: readonly SourceText[]): readonly Violation[] {
  return [importLaw, packageLaw, drawers, documented].flatMap((check) => files.flatMap(check));
}

function importLaw(file: SourceText): readonly Violation[] {
  const { path } = file;
  const law = LAWS.find(({ of }) => matches(path, of));
  if (!law) return [];
  return importsOf(file).flatMap(({ specifier, target, line, values }) =>
    target === undefined || isLawful(law, target, values)
      ? []
      : [violation("import-law", path, `imports "${specifier}"; ${wordsOf(law)}`, line)],
  );
}

function isLawful(law: Law, target: string, values: readonly string[]): boolean {
  if (matches(target, law.values)) return true;
  return matches(target, law.types) && values.every((name) => CONSTANT.test(name));
}

function packageLaw(file: SourceText): readonly Violation[] {
  const { path } = file;
  if (!isProduct(path)) return [];
  return importsOf(file).flatMap(({ specifier, line }) => {
    const law = PACKAGES.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
    if (!law || matches(path, law.only)) return [];
    return [
      violation(
        "package-law",
        path,
        `imports "${specifier}", which only ${law.only.join(" and ")} may`,
        line,
      ),
    ];
  });
}

/** Files of the product that are long enough to be looked at. */
export function longFiles(files: readonly SourceText[]): readonly string[] {
  return files
    .filter(({ path, text }) => !isTestCode(path) && linesOf(text) > 250)
    .map(({ path, text }) => `${path} has ${linesOf(text)} lines`);
}

function linesOf(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

function drawers({ path }: SourceText): readonly Violation[] {
  return path
    .split(/[/.-]/)
    .filter((word) => /^(?:utils?|helpers?|common|misc|shared|lib)$/.test(word))
    .map((word) =>
      violation("no-drawer", path, `is named "${word}"; want a noun that describes its content`),
    );
}

/** The first export, or the first function if types and constants of its signature precede it. */
function documented({ path, text }: SourceText): readonly Violation[] {
  if (!path.startsWith("exporter/") || /^(?:main|index)\.ts$/.test(basename(path))) return [];
  if (/^(?:(?!export ).*\n)*.*\*\/\nexport |\*\/\nexport (?:async )?(?:function|class) /.test(text))
    return [];
  return [violation("documented", path, "has no doc comment on its main export")];
}

/** Whether a file is deployed, rather than only used by tests. */
function isProduct(path: string): boolean {
  return /^(?:exporter|dashboards|infra)\//.test(path);
}

function isTestCode(path: string): boolean {
  return path.endsWith(".test.ts") || (path.startsWith("test/") && !path.startsWith("test/gateway/"));
}

function violation(rule: Rule, path: string, message: string, line?: number): Violation {
  const at = line === undefined ? path : `${path}:${line}`;
  return { rule, at, message: `${at} ${message}` };
}
