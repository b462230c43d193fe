import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Writes the files of a volume as a kubelet does: all of them change at once, because the link `..data` is replaced. */
export function writeMounted(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(folder, { recursive: true });
  const generation = mkdtempSync(join(folder, "..generation-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(generation, name), text);
  const data = join(folder, "..data");
  const previous = existsSync(data) ? readlinkSync(data) : undefined;
  symlinkSync(generation, `${data}_next`);
  renameSync(`${data}_next`, data);
  for (const name of Object.keys(files)) {
    if (!existsSync(join(folder, name))) symlinkSync(join("..data", name), join(folder, name));
  }
  // The links of files that the volume no longer has.
  for (const name of readdirSync(folder)) {
    if (!name.startsWith("..") && files[name] === undefined) unlinkSync(join(folder, name));
  }
  if (previous !== undefined) rmSync(previous, { recursive: true, force: true });
}
