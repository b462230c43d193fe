import { type DirectoryEntry, FileError } from "../../../exporter/secrets/files.ts";
import { loadConfig } from "../../../exporter/config/load.ts";
import { formatProblem } from "../../../exporter/config/problem.ts";

export interface Surroundings {
  /** Content by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Error code by path. */
  readonly unreadable?: Readonly<Record<string, string>>;
  /** Folders that contain only entries of `files`. */
  readonly folders?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const CONFIG_PATH = "/etc/aigateway/config.yaml";

/** `loadConfig` on a file system that exists only in the test. */
export function loadText(text: string, surroundings: Surroundings = {}) {
  return loadConfig({
    path: CONFIG_PATH,
    env: surroundings.env ?? {},
    ...simulatedFiles(text, surroundings),
  });
}

/** The lines that a user sees. */
export async function problemLines(text: string, surroundings: Surroundings = {}): Promise<string[]> {
  const result = await loadText(text, surroundings);
  return result.ok ? [] : result.problems.map((problem) => formatProblem("config.yaml", problem));
}

function simulatedFiles(text: string, { files = {}, unreadable = {}, folders = [] }: Surroundings) {
  const contents = new Map(Object.entries({ ...files, [CONFIG_PATH]: text }));
  const failIfUnreadable = (path: string) => {
    const code = unreadable[path];
    if (code !== undefined) throw fileError(code, path);
  };
  return {
    readFile: async (path: string): Promise<string> => {
      failIfUnreadable(path);
      const content = contents.get(path);
      if (content === undefined) throw fileError("ENOENT", path);
      return content;
    },
    readBytes: async (path: string, mostBytes: number): Promise<Uint8Array> => {
      failIfUnreadable(path);
      const content = contents.get(path);
      if (content === undefined) throw fileError("ENOENT", path);
      if (content.length > mostBytes) throw new FileError("is larger than 25 MiB");
      return Buffer.from(content);
    },
    listDirectory: async (path: string): Promise<DirectoryEntry[]> => {
      failIfUnreadable(path);
      const inside = [...contents.keys(), ...Object.keys(unreadable)].filter((file) =>
        file.startsWith(`${path}/`),
      );
      if (inside.length === 0 && !folders.includes(path)) throw fileError("ENOENT", path);
      const names = new Map(inside.map((file) => nameIn(path, file)));
      return [...names].map(([name, isDirectory]) => ({ name, isDirectory }));
    },
  };
}

function nameIn(folder: string, file: string): [string, boolean] {
  const rest = file.slice(folder.length + 1).split("/");
  return [rest[0] ?? "", rest.length > 1];
}

function fileError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
