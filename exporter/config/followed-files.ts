import { type Files, type FileVersions, readingFault } from "../secrets/files.ts";
import { configHash } from "./config.ts";

/** The files of a configuration, with what is needed to notice a change. */
export interface FollowedFiles {
  /** Reads the configuration through these. */
  readonly files: Files;
  /** The hash of the text that was read last, valid or not; undefined if it could not be read. */
  readonly hash: () => number | undefined;
  /**
   * What the configuration file, the listed folders, the certificates and the audio are now, if that is not what was read last; otherwise
   * undefined. It reads no content, so it is cheap.
   */
  change(): Promise<string | undefined>;
}

/**
 * Follows a configuration file and the folders that are listed for it (`keys_dir`). Secrets are read for each
 * use anyway.
 */
export function createFollowedFiles(configFile: string, files: Files & FileVersions): FollowedFiles {
  let seen = new Map<string, string>();
  let hash: number | undefined;

  const versionOf = (path: string) =>
    files.version(path).catch((error: unknown) => `unreadable: ${readingFault(error)}`);

  return {
    hash: () => hash,
    files: {
      readBytes: async (path, mostBytes) => {
        seen.set(path, await versionOf(path));
        return files.readBytes(path, mostBytes);
      },
      readFile: async (path, mostBytes) => {
        if (path !== configFile) return files.readFile(path, mostBytes);
        // The version comes first, so that a change during the read is noticed.
        seen = new Map([[path, await versionOf(path)]]);
        hash = undefined;
        const text = await files.readFile(path, mostBytes);
        hash = configHash(text);
        return text;
      },
      listDirectory: async (path) => {
        seen.set(path, await versionOf(path));
        return files.listDirectory(path);
      },
    },
    change: async () => {
      const now = await Promise.all([...seen.keys()].map(async (path) => [path, await versionOf(path)]));
      return now.every(([path = "", version]) => seen.get(path) === version) ? undefined : now.join("\n");
    },
  };
}
