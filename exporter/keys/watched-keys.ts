import type { Config, KeyConfig } from "../config/config.ts";
import type { ReadingStore } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";

/** What is known about the targets of other collectors. */
export type TargetReadings = Pick<ReadingStore, "ids" | "status" | "latest" | "isCurrent">;

/** The keys whose spend is shown: the configured and the listed ones. */
export interface WatchedKeys {
  /** Their targets, whose readings have the spend of each. */
  readonly targets: readonly TargetId[];
  /** By hash: the name of a configured key, undefined for a listed one. No map if a filter cannot name so many keys, or one of them. */
  readonly hashes: ReadonlyMap<string, string | undefined> | undefined;
  /** Configured keys whose secret could not be read, so that their hash is not known. */
  readonly unread: readonly string[];
}

/** Some services name keys by shorter texts, which filters do not know (vendor-2026-10, 5). */
const SHA256 = /^[0-9a-f]{64}$/;

/** The most values that a filter is known to accept. */
const MOST_HASHES = 1000;

/**
 * Undefined: the keys of a workspace were not listed yet, or a configured key was not polled yet and its secret not
 * read, so the watched keys are not known.
 */
export function watchedKeys(config: Config, readings: TargetReadings): WatchedKeys | undefined {
  const { discovery } = config;
  const keys = configuredKeys(config);
  const isListed = (workspace = "default") =>
    readings.status(targetId("discovery", workspace))?.lastSuccessMs !== undefined;
  if (discovery && !discovery.workspaces.every(isListed)) return undefined;
  const listed = readings.ids().filter((id) => LISTED.test(id));
  // The hashes of many keys take a while, and are needed only to find them in a list.
  const hashable = keys.length > MOST_HASHES && listed.length === 0 ? [] : keys;
  const hashed = hashable.map(({ name, secret }) => ({ name, hash: secret.hash?.() }));
  const unread = hashed.filter(({ hash }) => hash === undefined).map(({ name }) => name);
  const elsewhere = new Set(config.part?.elsewhere.map(({ name }) => name));
  // The secrets of the keys of other shards are read before.
  const isAttempted = (name: string) =>
    elsewhere.has(name) || readings.status(targetId("key", name))?.attempted === true;
  if (!unread.every(isAttempted)) return undefined;
  // One secret may have several names. Its spend counts once, under the first of them.
  const names = new Map<string, string>();
  const twins = new Set<string>();
  for (const { name, hash } of hashed) {
    if (hash === undefined) continue;
    if (names.has(hash)) twins.add(name);
    else names.set(hash, name);
  }
  const isPolledHere = (hash: string) => {
    const name = names.get(hash);
    return name !== undefined && !elsewhere.has(name);
  };
  const listedNames = new Set(listed.map((id) => names.get(hashOf(id))));
  // A key of another shard has its spend in the list. Without that, its target has no reading.
  const polled = keys.filter(
    ({ name }) => !twins.has(name) && (!elsewhere.has(name) || !listedNames.has(name)),
  );
  const others = listed.map(hashOf).filter((hash) => !names.has(hash));
  const isTooMany = keys.length + others.length > MOST_HASHES;
  const isFilterable = others.every((hash) => SHA256.test(hash));
  return {
    // A listed key that is also configured has its spend in the reading of the configured one. A key that was
    // configured until a reload has none until the next list.
    targets: [
      ...polled.map(({ name }) => targetId("key", name)),
      ...listed.filter((id) => !isPolledHere(hashOf(id))),
    ],
    hashes:
      isTooMany || !isFilterable
        ? undefined
        : new Map<string, string | undefined>([
            ...names,
            ...others.map((hash) => [hash, undefined] as const),
          ]),
    unread,
  };
}

/** The first name of a listed key; a twin has its name behind the hash. */
const LISTED = /^listed\/[^/]+$/;

function hashOf(id: TargetId): string {
  return id.slice("listed/".length);
}

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
