import type { Config, KeyConfig } from "../config/config.ts";

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
