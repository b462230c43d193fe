import type { Config, KeyConfig } from "../config/config.ts";
import type { ReadingStore } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";

/** What is known about the targets of other collectors. */
export type TargetReadings = Pick<ReadingStore, "ids" | "status" | "latest" | "isCurrent">;

/** The keys whose spend is shown: the configured and the listed ones. */
export interface WatchedKeys {
  /** By hash: the name of a configured key, undefined for a listed one. */
  readonly hashes: ReadonlyMap<string, string | undefined>;
  /** Configured keys whose secret could not be read, so that their hash is not known. */
  readonly unread: readonly string[];
}

/**
 * Undefined: the keys of a workspace were not listed yet, or a configured key was not polled yet and its secret not
 * read, so the watched keys are not known.
 */
export function watchedKeys(config: Config, readings: TargetReadings): WatchedKeys | undefined {
  const { discovery, part } = config;
  const isListed = (workspace = "default") =>
    readings.status(targetId("discovery", workspace))?.lastSuccessMs !== undefined;
  if (discovery && !discovery.workspaces.every(isListed)) return undefined;
  const hashes = new Map<string, string | undefined>();
  const unread: string[] = [];
  // One secret may have several names. Its spend counts once, under the first of them.
  for (const { name, secret } of configuredKeys(config)) {
    const hash = secret.hash?.();
    if (hash === undefined) unread.push(name);
    else if (!hashes.has(hash)) hashes.set(hash, name);
  }
  // The secrets of the keys of other shards are read before.
  const elsewhere = new Set(part?.elsewhere.map(({ name }) => name));
  const isAttempted = (name: string) =>
    elsewhere.has(name) || readings.status(targetId("key", name))?.attempted === true;
  if (!unread.every(isAttempted)) return undefined;
  for (const id of readings.ids()) {
    const [, hash] = LISTED.exec(id) ?? [];
    if (hash !== undefined && !hashes.has(hash)) hashes.set(hash, undefined);
  }
  return { hashes, unread };
}

/** The first name of a listed key; a twin has its name behind the hash. */
const LISTED = /^listed\/([^/]+)$/;

/** The configured keys of all shards. */
export function configuredKeys({ keys, part }: Pick<Config, "keys" | "part">): readonly KeyConfig[] {
  return part ? [...keys, ...part.elsewhere] : keys;
}

/**
 * Reads the secrets of the keys that other shards poll, because their hashes are needed and a file may have changed. A
 * secret that cannot be read keeps its last hash; the shard that polls its key reports that.
 */
export async function readElsewhere({ part }: Pick<Config, "part">): Promise<void> {
  const keys = part?.elsewhere ?? [];
  for (let start = 0; start < keys.length; start += FILES_AT_ONCE) {
    const some = keys.slice(start, start + FILES_AT_ONCE);
    await Promise.allSettled(some.map(async ({ secret }) => secret.read()));
  }
}

/** Well below the number of files that a process may have open. */
const FILES_AT_ONCE = 64;
