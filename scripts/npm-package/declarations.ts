import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import ts from "typescript";

/** Matches a file name in the imports of a declaration. */
const RELATIVE = /(["']\.\.?\/[^"'\n]*)\.ts(["'])/g;

/** Writes the declarations of some modules, and of those that they name, to the same paths below `target`. */
export function writeDeclarations(root: string, modules: readonly string[], target: string): void {
  const config = ts.readConfigFile(join(root, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(
    config.config,
    { ...ts.sys, readDirectory: () => [] },
    root,
  );
  const program = ts.createProgram(
    modules.map((path) => join(root, path)),
    {
      ...options,
      rootDir: root,
      outDir: target,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
    },
  );
  const written = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (path, text) => {
    written.set(path, text.replaceAll(RELATIVE, "$1.js$2"));
  });
  const [problem] = diagnostics;
  if (problem) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, "\n"));
  const entries = modules.map((path) => join(target, declarationOf(path)));
  for (const [path, text] of reachable(entries, written, declarationOf)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

function declarationOf(path: string): string {
  return path.replace(/\.[jt]s$/, ".d.ts");
}

/**
 * The files that the entries import, directly or indirectly, with their texts. `fileOf` turns an imported name, such as
 * `./run.js`, into the name of a file.
 */
function reachable(
  entries: readonly string[],
  files: ReadonlyMap<string, string>,
  fileOf: (name: string) => string = (name) => name,
): Map<string, string> {
  const found = new Map<string, string>();
  const take = (path: string): void => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`Cannot find "${path}", which another file imports`);
    if (found.has(path)) return;
    found.set(path, text);
    for (const [, name = ""] of text.matchAll(/["'](\.\.?\/[^"'\n]*\.js)["']/g))
      take(join(dirname(path), fileOf(name)));
  };
  entries.forEach(take);
  return found;
}
