import { existsSync } from "node:fs";
import { join } from "node:path";

/** Reports whether a library to compare with is installed. These libraries form a separate package in this folder. */
export function isInstalled(library: string): boolean {
  return existsSync(join(import.meta.dirname, "node_modules", library));
}
