import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";

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

/**
 * Most bytes of a configuration or of its certificates. 10,000 keys with their owners are shorter; more of them belong in `keys_dir`. A
 * bundle of all public authorities has a quarter of it.
 */
export const MOST_CONFIG_BYTES = 1024 * 1024;

/** The file system of the machine: regular files only, of a bounded size, within a deadline. */
export const systemFiles: Files & FileVersions = {
  readBytes: (path, mostBytes) => inTime(() => wholeFile(path, mostBytes)),
  readFile: (path, mostBytes) => inTime(async () => textOf(await wholeFile(path, mostBytes))),
  listDirectory: (path) => inTime(() => entriesOf(path)),
  version: (path) => inTime(() => versionOf(path)),
};

function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new FileError("is not UTF-8 text");
  return bytes.toString();
}

const waiting = new Set<() => void>();
let reading = 0;

/**
 * Two reads at once, because one that hangs, as on a dead network mount, occupies one of the four threads that
 * compression and DNS need as well.
 */
function inTime<Result>(read: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      reading++;
      const ended = () => {
        clearTimeout(timer);
        reading--;
        beginNext();
      };
      read().then(resolve, reject).finally(ended);
    };
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(new FileError(`could not be read within ${DEADLINE_MS / 1000} s`));
    }, DEADLINE_MS);
    waiting.add(begin);
    beginNext();
  });
}

function beginNext(): void {
  for (const begin of waiting) {
    if (reading === MOST_READS) return;
    waiting.delete(begin);
    begin();
  }
}

const MOST_READS = 2;
const DEADLINE_MS = 10_000;

/** A FIFO without a writer would block the opening, and a terminal would become that of the process. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

async function wholeFile(path: string, mostBytes: number): Promise<Buffer> {
  const file = await open(path, FLAGS);
  try {
    const status = await file.stat();
    if (status.isDirectory()) throw new FileError("is a directory");
    if (!status.isFile()) throw new FileError("is not a regular file");
    if (status.size > mostBytes) throw tooLarge(mostBytes);
    const bytes = await file.readFile();
    // Files of `/proc` have no size.
    if (bytes.length > mostBytes) throw tooLarge(mostBytes);
    return bytes;
  } finally {
    await file.close();
  }
}

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

/** Mounted secrets are links to links. A broken link is reported when its file is read. */
async function entriesOf(path: string): Promise<readonly DirectoryEntry[]> {
  const isDirectory = (name: string) =>
    stat(`${path}/${name}`).then(
      (target) => target.isDirectory(),
      () => false,
    );
  const names = await readdir(path);
  return Promise.all(names.map(async (name) => ({ name, isDirectory: await isDirectory(name) })));
}

/** Why a file or a folder could not be read. */
export class FileError extends Error {
  /** Completes a sentence that begins with the name of the file, such as `is a directory`. */
  readonly fault: string;

  constructor(fault: string) {
    super(`The file ${fault}`);
    this.name = "FileError";
    this.fault = fault;
  }
}

/** Why a file or a directory could not be read, without the path, which Node's own message repeats. */
export function readingFault(error: unknown): string {
  if (error instanceof FileError) return error.fault;
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return FAULTS.get(code) ?? `cannot be read: ${code}`;
}

export const NO_FILE = "does not exist";

const FAULTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", NO_FILE],
  ["EACCES", "cannot be read: permission denied"],
  ["EPERM", "cannot be read: permission denied"],
  ["EISDIR", "is a directory"],
  ["ENOTDIR", "is not a directory"],
  ["ELOOP", "is a link that leads to itself"],
  // A socket, or a device without a driver.
  ["ENXIO", "is not a regular file"],
  ["ENODEV", "is not a regular file"],
]);
