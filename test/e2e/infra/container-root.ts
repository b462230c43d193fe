import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { z } from "zod";

/**
 * The path of this module. A process that loads it first (`--import`) sees the files of its container: every path below a mount
 * leads into the real folder. The configuration then has the same bytes as in the cluster.
 */
export const CONTAINER_ROOT = import.meta.filename;

/** The variable with the mounts: real paths by path in the container, as JSON. */
export const MOUNTS_VARIABLE = "TEST_MOUNTS";

const given = process.env[MOUNTS_VARIABLE];
if (given !== undefined) mount(z.record(z.string(), z.string()).parse(JSON.parse(given)));

/** For the functions with which the exporter reads files. */
function mount(mounts: Readonly<Record<string, string>>): void {
  const realPath = (path: string) => {
    const found = Object.keys(mounts).find((each) => path === each || path.startsWith(`${each}/`));
    return found === undefined ? path : `${mounts[found]}${path.slice(found.length)}`;
  };
  for (const name of ["open", "readdir", "stat"] as const) {
    const original: unknown = Reflect.get(fs.promises, name);
    if (typeof original !== "function") throw new Error(`Cannot find fs.promises.${name}`);
    Reflect.set(fs.promises, name, (path: unknown, ...rest: readonly unknown[]): unknown =>
      Reflect.apply(original, fs.promises, [realPath(String(path)), ...rest]),
    );
  }
  syncBuiltinESMExports();
}
