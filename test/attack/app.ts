import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { writeStripped } from "../support/image-content.ts";
import { ROOT } from "../support/repository.ts";

/**
 * Makes the program of the image from a folder that contains its code. As in the image, it has no types: removing them at the
 * start would leave a compiler in memory.
 */
export function makeApp(app: string, source = ROOT): void {
  mkdirSync(app);
  writeStripped(app, source);
  cpSync(join(source, "package.json"), join(app, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(app, "node_modules"));
}
