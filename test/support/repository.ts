import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

import type { SourceText } from "./source-file.ts";

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, "..", "..");

/** The hand-written TypeScript files of the repository: paths from its root, and texts. */
export function sourceFiles(folders: readonly string[] = FOLDERS): readonly SourceText[] {
  return folders
    .flatMap(typeScriptIn)
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
}

const FOLDERS = ["exporter", "dashboards", "infra", "test", "bench", "scripts", "vitest.config.ts"] as const;

function typeScriptIn(name: string): readonly string[] {
  const path = join(ROOT, name);
  if (!existsSync(path)) return [];
  if (name.endsWith(".ts")) return [name];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .filter((file) => !/(?:^|\/)(?:node_modules|generated)\//.test(file));
}
