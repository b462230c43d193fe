import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../support/repository.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Writes a file of 1,400 bytes in a process whose files have at most this many blocks of 512 bytes. */
function write(folder: string, blocks: number): string {
  const module = join(ROOT, "exporter", "backfill", "state-file.ts");
  const program = `
    import { writeWhole } from ${JSON.stringify(module)};
    const pieces = ["a".repeat(700), "b".repeat(700)];
    const result = await writeWhole("day.om", pieces).catch(({ code }) => code);
    process.stdout.write(String(result));`;
  const command = `ulimit -f ${blocks}; exec "$0" --input-type=module --eval "$1"`;
  return execFileSync("sh", ["-c", command, process.execPath, program], { cwd: folder, encoding: "utf8" });
}

test.each([
  ["whole", 3, "1400", ["day.om"]],
  ["not there if the disk is full before its end", 2, "EFBIG", []],
])("a file is %s", (_, blocks, printed, files) => {
  const folder = temporaryFolder();
  expect(write(folder, blocks)).toBe(printed);
  expect(readdirSync(folder)).toEqual(files);
  for (const file of files) expect(readFileSync(join(folder, file), "utf8")).toHaveLength(1400);
});
