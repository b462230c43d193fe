import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Terminal } from "./terminal.ts";

/** The dashboards as Grafana imports them, beside the code in the repository, the package and the image. */
const SHIPPED = fileURLToPath(new URL("../../dashboards/generated/", import.meta.url));

/** Writes the Grafana dashboards into a folder, which is created if necessary, and prints the paths. */
export async function writeDashboards(
  output: string,
  { stdout, stderr }: Pick<Terminal, "stdout" | "stderr">,
): Promise<number> {
  const names = (await readdir(SHIPPED)).filter((name) => /^aigateway-.+\.json$/.test(name)).toSorted();
  try {
    await mkdir(output, { recursive: true });
    for (const name of names) {
      const path = join(output, name);
      await writeFile(path, await readFile(join(SHIPPED, name)));
      stdout.write(`${path}\n`);
    }
    return 0;
  } catch (error) {
    stderr.write(`Cannot write the dashboards to "${output}" (--output): ${folderFault(error)}\n`);
    return 1;
  }
}

/** Why a folder cannot be written to. */
export function folderFault(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return FAULTS.get(code) ?? code;
}

const FAULTS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "it is not permitted; choose another folder"],
  ["EEXIST", "it is a file; name a folder"],
  ["ENOTDIR", "a part of the path is a file; name a folder"],
  ["ENOSPC", "no space is left"],
  ["EROFS", "the file system is read-only; choose another folder"],
  ["ERR_ACCESS_DENIED", "the image does not let its program write files; use the npm package"],
]);
