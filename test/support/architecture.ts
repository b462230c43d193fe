import { basename, dirname } from "node:path/posix";

import { CONSTANT, LAWS, PACKAGES, type Law, matches, wordsOf } from "./import-law.ts";
import {
  type Import,
  type SourceText,
  defaultExportsOf,
  exportsOf,
  importsOf,
  usesOfGlobal,
} from "./source-file.ts";

export interface Violation {
  readonly rule: Rule;
  /** `file:line`, where there is a line. */
  readonly at: string;
  readonly message: string;
}

export type Rule =
  | "import-law"
  | "package-law"
  | "process-law"
  | "no-cycle"
  | "file-size"
  | "no-drawer"
  | "kebab-case"
  | "no-default-export"
  | "documented";

/**
 * Finds all violations of the design in the TypeScript files of the repository. A pure function of paths and texts.
 */
export function checkArchitecture(files: readonly SourceText[]): readonly Violation[] {
  const scanned = files.map((file) => ({ ...file, imports: importsOf(file) }));
  return [
    ...scanned.flatMap(importLaw),
    ...scanned.flatMap(packageLaw),
    ...files.flatMap(processLaw),
    ...cycles(scanned),
    ...files.flatMap(fileSize),
    ...files.flatMap(names),
    ...files.flatMap(defaultExports),
    ...files.flatMap(documented),
  ];
}

interface Scanned extends SourceText {
  readonly imports: readonly Import[];
}

function importLaw({ path, imports }: Scanned): readonly Violation[] {
  const law = LAWS.find(({ of }) => matches(path, of));
  if (!law) return [];
  return imports.flatMap(({ specifier, target, line, values }) =>
    target === undefined || isLawful(law, target, values)
      ? []
      : [violation("import-law", path, `imports "${specifier}"; ${wordsOf(law)}`, line)],
  );
}

function isLawful(law: Law, target: string, values: readonly string[]): boolean {
  if (matches(target, law.values)) return true;
  return matches(target, law.types) && values.every((name) => CONSTANT.test(name));
}

function packageLaw({ path, imports }: Scanned): readonly Violation[] {
  if (!isProduct(path)) return [];
  return imports.flatMap(({ specifier, line }) => {
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

function processLaw(file: SourceText): readonly Violation[] {
  if (!file.path.startsWith("exporter/") || file.path === "exporter/main.ts") return [];
  return usesOfGlobal(file, "process").map((line) =>
    violation("process-law", file.path, 'uses "process", which only exporter/main.ts may', line),
  );
}

/**
 * Depth first. Each cycle is reported once, at the import that closes it. Imports of types count, because
 * they tangle the design as well.
 */
function cycles(files: readonly Scanned[]): readonly Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: Violation[] = [];
  const walk = (file: Scanned, trail: readonly string[]): void => {
    if (done.has(file.path)) return;
    for (const { target = "", line } of file.imports) {
      const imported = byPath.get(target);
      const start = [...trail, file.path].indexOf(target);
      if (start >= 0) {
        const loop = [...trail, file.path].slice(start).concat(target).join(" → ");
        found.push(violation("no-cycle", file.path, `closes an import cycle: ${loop}`, line));
      } else if (imported) {
        walk(imported, [...trail, file.path]);
      }
    }
    done.add(file.path);
  };
  for (const file of files) walk(file, []);
  return found;
}

const MOST_LINES = 400;

function fileSize({ path, text }: SourceText): readonly Violation[] {
  const lines = linesOf(text);
  return lines > MOST_LINES
    ? [violation("file-size", path, `has ${lines} lines, want at most ${MOST_LINES}`)]
    : [];
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

const DRAWER = /^(?:utils?|helpers?|common|misc|shared|lib)$/;
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*\.ts$/;

function names({ path }: SourceText): readonly Violation[] {
  const drawers = path.split(/[/.-]/).filter((word) => DRAWER.test(word));
  const wrongName = KEBAB_CASE.test(basename(path)) ? [] : [basename(path)];
  const wrongFolder = dirname(path)
    .split("/")
    .filter((folder) => folder !== "." && !KEBAB_CASE.test(`${folder}.ts`));
  return [
    ...drawers.map((word) =>
      violation("no-drawer", path, `is named "${word}"; want a noun that describes its content`),
    ),
    ...[...wrongName, ...wrongFolder].map((name) =>
      violation("kebab-case", path, `"${name}" is not kebab-case`),
    ),
  ];
}

function defaultExports(file: SourceText): readonly Violation[] {
  if (file.path === "vitest.config.ts") return [];
  return defaultExportsOf(file).map((line) =>
    violation("no-default-export", file.path, "has a default export, want named ones", line),
  );
}

/** The main export is the first one, or the first function if types and constants of its signature precede it. */
function documented(file: SourceText): readonly Violation[] {
  if (!file.path.startsWith("exporter/") || /^(?:main|index)\.ts$/.test(basename(file.path))) return [];
  const all = exportsOf(file);
  const [first] = all;
  const main = all.find(({ kind }) => kind === "function") ?? first;
  if (!main) return [violation("documented", file.path, "exports nothing")];
  const message = `exports "${main.name}" without a doc comment`;
  return first?.documented || main.documented ? [] : [violation("documented", file.path, message, main.line)];
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
