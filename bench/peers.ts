import { existsSync } from "node:fs";
import { join } from "node:path";

/** Whether a library that the exporter is compared with is installed; they are a package of their own, in this folder. */
export function isInstalled(library: string): boolean {
  return existsSync(join(import.meta.dirname, "node_modules", library));
}
