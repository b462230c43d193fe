import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/repository.ts";

/**
 * Makes the program of the image from a folder that holds `exporter/`. Like there, it has no types: removing them at the
 * start would leave a compiler in memory.
 */
export function makeApp(app: string, source = ROOT): void {
  mkdirSync(app);
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      join(ROOT, "scripts", "strip-types.ts"),
      join(source, "exporter"),
      join(app, "exporter"),
    ],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  cpSync(join(source, "package.json"), join(app, "package.json"));
  symlinkSync(join(ROOT, "node_modules"), join(app, "node_modules"));
}
