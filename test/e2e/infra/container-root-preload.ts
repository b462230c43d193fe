import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { z } from "zod";
import { MOUNTS_VARIABLE } from "./container-root.ts";

const mounts = z.record(z.string(), z.string()).parse(JSON.parse(process.env[MOUNTS_VARIABLE] ?? "{}"));

/** The functions with which the exporter reads files. */
for (const name of ["open", "readdir", "stat"] as const) {
  const original: unknown = Reflect.get(fs.promises, name);
  if (typeof original !== "function") throw new Error(`Cannot find fs.promises.${name}`);
  Reflect.set(fs.promises, name, (path: unknown, ...rest: readonly unknown[]): unknown =>
    Reflect.apply(original, fs.promises, [realPath(String(path)), ...rest]),
  );
}
syncBuiltinESMExports();

function realPath(path: string): string {
  const mount = Object.keys(mounts).find((each) => path === each || path.startsWith(`${each}/`));
  return mount === undefined ? path : `${mounts[mount]}${path.slice(mount.length)}`;
}
