import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";

/** Matches a file name in imports, re-exports and `new URL`. */
const RELATIVE = /(["'])(\.\.?\/[^"'\n]*)\.ts(\1)/g;

/**
 * Copies a folder of TypeScript as JavaScript: `node --disable-warning=ExperimentalWarning
 * scripts/strip-types.ts SOURCE TARGET`. Blanks replace types and `.js` replaces `.ts`, so that all code
 * keeps its line and column.
 */
try {
  const [source, target] = process.argv.slice(2);
  if (source === undefined || target === undefined) throw new Error("expected SOURCE and TARGET");
  if (existsSync(target)) throw new Error(`"${target}" already exists, and its old files would remain`);
  writeStripped(source, target);
} catch (error) {
  process.stderr.write(`Cannot strip types: ${messageOf(error)}\n`);
  process.exitCode = 1;
}

function writeStripped(source: string, target: string): void {
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(source, "/").length));
  for (const file of files) {
    const [from, to] = [join(source, file), join(target, file)];
    mkdirSync(dirname(to), { recursive: true });
    if (file.endsWith(".ts")) writeFileSync(to.replace(/ts$/, "js"), strippedText(source, file, files));
    else cpSync(from, to);
  }
}

function strippedText(source: string, file: string, files: readonly string[]): string {
  const path = join(source, file);
  // Type imports are blank by now; they may name files outside the folder.
  return withoutTypes(path).replaceAll(RELATIVE, (_, before: string, name: string, after: string) => {
    if (files.includes(join(dirname(file), `${name}.ts`))) return `${before}${name}.js${after}`;
    throw new Error(`"${path}" names "${name}.ts", which is not a file in "${source}"`);
  });
}

function withoutTypes(path: string): string {
  try {
    return stripTypeScriptTypes(readFileSync(path, "utf8"), { mode: "strip" });
  } catch (error) {
    throw new Error(`"${path}": ${messageOf(error)}`, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
