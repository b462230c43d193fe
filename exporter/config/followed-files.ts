import { type Files, type FileVersions, readingFault } from "../secrets/files.ts";
import { configHash } from "./config.ts";

/** The files of a configuration, with what is needed to notice a change. */
export interface FollowedFiles {
  /** Reads the configuration through these. */
  readonly files: Files;
  /** The hash of the text that was read last, valid or not; undefined if it could not be read. */
  readonly hash: () => number | undefined;
  /**
   * A text about the present versions of the configuration file, the listed folders, the certificates and the audio;
   * undefined if they are the versions that were read last. Cheap, because it reads no content.
   */
  change(): Promise<string | undefined>;
}

/**
 * Follows a configuration file and the folders that are listed for it (`keys_dir`). Secrets are read for each
 * use anyway.
 */
export function createFollowedFiles(configFile: string, files: Files & FileVersions): FollowedFiles {
  const seen = createSeenVersions(files);
  let hash: number | undefined;
  return {
    hash: () => hash,
    files: {
      readBytes: async (path, mostBytes) => {
        await seen.note(path);
        return files.readBytes(path, mostBytes);
      },
      readFile: async (path, mostBytes) => {
        if (path !== configFile) return files.readFile(path, mostBytes);
        seen.forget();
        await seen.note(path);
        hash = undefined;
        const text = await files.readFile(path, mostBytes);
        hash = configHash(text);
        return text;
      },
      listDirectory: async (path) => {
        await seen.note(path);
        return files.listDirectory(path);
      },
    },
    change: seen.change,
  };
}

/** Which files and folders were read, and their versions. */
export function createSeenVersions(files: FileVersions) {
  const seen = new Map<string, string>();
  const versionOf = (path: string) =>
    files.version(path).catch((error: unknown) => `unreadable: ${readingFault(error)}`);
  return {
    /** Comes before the read, so that a change during the read is noticed. */
    note: async (path: string) => void seen.set(path, await versionOf(path)),
    forget: () => seen.clear(),
    /** What they are now, if that is not what was read last; otherwise undefined. */
    change: async () => {
      const now = await Promise.all([...seen.keys()].map(async (path) => [path, await versionOf(path)]));
      return now.every(([path = "", version]) => seen.get(path) === version) ? undefined : now.join("\n");
    },
  };
}
