import { open, readdir, readFile, stat } from "node:fs/promises";

/** The file system as the configuration needs it. */
export interface Files {
  /** The whole file as text. */
  readonly readFile: (path: string) => Promise<string>;
  /** The bytes of the whole file. Rejects with the code EFBIG when it is larger. */
  readonly readBytes: (path: string, mostBytes: number) => Promise<Uint8Array>;
  readonly listDirectory: (path: string) => Promise<readonly DirectoryEntry[]>;
}

export interface DirectoryEntry {
  readonly name: string;
  /** Follows links. */
  readonly isDirectory: boolean;
}

/** The file system of the machine. */
export const systemFiles: Files = {
  readFile: (path) => readFile(path, "utf8"),
  readBytes: async (path, mostBytes) => {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      if (size > mostBytes) throw Object.assign(new Error("The file is too large"), { code: "EFBIG" });
      return await file.readFile();
    } finally {
      await file.close();
    }
  },
  listDirectory: async (path) => {
    const entries = await readdir(path, { withFileTypes: true });
    return Promise.all(
      entries.map(async (entry) => ({
        name: entry.name,
        // Mounted secrets are links to links. A broken link is reported when its file is read.
        isDirectory: entry.isSymbolicLink()
          ? await stat(`${path}/${entry.name}`).then(
              (target) => target.isDirectory(),
              () => false,
            )
          : entry.isDirectory(),
      })),
    );
  },
};

/** Why a file or a directory could not be read, without the path, which Node's own message repeats. */
export function readingFault(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  return FAULTS.get(code) ?? `cannot be read: ${code}`;
}

const FAULTS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["EACCES", "cannot be read: permission denied"],
  ["EPERM", "cannot be read: permission denied"],
  ["EISDIR", "is a directory"],
  ["ENOTDIR", "is not a directory"],
]);
