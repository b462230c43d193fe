/** The shard of a name: jump consistent hash of FNV-1a (64 bits) of its UTF-8, as both are published, in exact integers. */
export function publishedShard(name: string, total: number): number {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(name)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return publishedBucket(hash, total);
}

/** Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014. */
export function publishedBucket(key: bigint, buckets: number): number {
  let state = key;
  let [bucket, next] = [-1n, 0n];
  while (next < BigInt(buckets)) {
    bucket = next;
    state = BigInt.asUintN(64, state * 2862933555777941757n + 1n);
    next = BigInt(Math.floor((Number(bucket) + 1) * (2147483648 / Number((state >> 33n) + 1n))));
  }
  return Number(bucket);
}
