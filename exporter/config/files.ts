import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { FileError } from "./file-error.ts";
import { createHangGuard } from "./hang-guard.ts";

/** The file system as the configuration needs it. Errors have a code of the system, or are FileErrors. */
export interface Files {
  /** The whole file as UTF-8 text. */
  readonly readFile: (path: string, mostBytes: number) => Promise<string>;
  readonly readBytes: (path: string, mostBytes: number) => Promise<Uint8Array>;
  readonly listDirectory: (path: string) => Promise<readonly DirectoryEntry[]>;
}

export interface FileVersions {
  /** Differs after every change of a file's content, or of the entries of a folder. Links are followed. */
  readonly version: (path: string) => Promise<string>;
}

export interface DirectoryEntry {
  readonly name: string;
  /** Follows links. */
  readonly isDirectory: boolean;
}

/** The file system of the machine: regular files only, of a bounded size, within a deadline. */
function createFiles(guard = createHangGuard()): Files & FileVersions {
  const readBytes = (path: string, mostBytes: number) =>
    guard(dirname(path), () => wholeFile(path, mostBytes));
  return {
    readBytes,
    readFile: async (path, mostBytes) => textOf(await readBytes(path, mostBytes)),
    listDirectory: (path) => guard(path, () => entriesOf(path)),
    version: (path) => guard(dirname(path), () => versionOf(path)),
  };
}

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new FileError("is not UTF-8 text");
  return bytes.toString();
}

/** One for the process, because its threads are limited. */
export const systemFiles: Files & FileVersions = createFiles();

/** A FIFO without a writer would block the opening, and a terminal would become that of the process. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

async function wholeFile(path: string, mostBytes: number): Promise<Buffer> {
  const file = await open(path, FLAGS);
  try {
    const status = await file.stat();
    if (status.isDirectory()) throw new FileError("is a directory");
    if (!status.isFile()) throw new FileError("is not a regular file");
    return await contentOf(file, status.size, mostBytes);
  } finally {
    await file.close();
  }
}

/** The size is only a hint, because a file may grow meanwhile, and files of `/proc` have none. */
async function contentOf(file: FileHandle, size: number, mostBytes: number): Promise<Buffer> {
  if (size > mostBytes) throw tooLarge(mostBytes);
  let bytes = Buffer.allocUnsafe(size + 1);
  for (let length = 0; ;) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length);
    length += bytesRead;
    if (length > mostBytes) throw tooLarge(mostBytes);
    if (bytesRead === 0) return bytes.subarray(0, length);
    if (length === bytes.length)
      bytes = Buffer.concat([bytes], Math.min(2 * length + SMALLEST, mostBytes + 1));
  }
}

const SMALLEST = 4096;

function tooLarge(mostBytes: number): FileError {
  const [amount, unit] = mostBytes < MiB ? [mostBytes / 1024, "KiB"] : [mostBytes / MiB, "MiB"];
  return new FileError(`is larger than ${amount} ${unit}`);
}

const MiB = 1024 * 1024;

/** A file that is written again keeps its number and may keep its size, but not its times, in nanoseconds. */
async function versionOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

async function entriesOf(path: string): Promise<readonly DirectoryEntry[]> {
  const entries: DirectoryEntry[] = [];
  for (const entry of await readdir(path, { withFileTypes: true })) {
    // Mounted secrets are links to links. A broken link is reported when its file is read. One link at a time is
    // followed, because each may hang.
    const isDirectory = entry.isSymbolicLink()
      ? await stat(`${path}/${entry.name}`).then(
          (target) => target.isDirectory(),
          () => false,
        )
      : entry.isDirectory();
    entries.push({ name: entry.name, isDirectory });
  }
  return entries;
}
