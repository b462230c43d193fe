/**
 * The shard of a name, from 0, among `total` shards: the same in every process. When the total grows by one, names move
 * to the new shard only.
 */
export function shardOfName(name: string, total: number): number {
  return jumpHash(fnv1a(name), total);
}

/** 64 bits as two halves, because BigInts are many times slower, and there may be ten thousand names. */
export interface Word {
  high: number;
  low: number;
}

/**
 * Jump consistent hash (Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014).
 * `buckets` is from 1 to 2^31 - 1.
 */
export function jumpHash(key: Readonly<Word>, buckets: number): number {
  const state = { ...key };
  let [bucket, next] = [-1, 0];
  while (next < buckets) {
    bucket = next;
    multiply(state, LCG);
    state.low = (state.low + 1) >>> 0;
    if (state.low === 0) state.high = (state.high + 1) >>> 0;
    // The upper 31 bits. All figures are below 2^53, so this is the double arithmetic of the paper.
    next = Math.floor((bucket + 1) * (2 ** 31 / ((state.high >>> 1) + 1)));
  }
  return bucket;
}

/** FNV-1a with 64 bits over the bytes of UTF-8, the hash that kube-state-metrics uses as well. */
export function fnv1a(text: string): Word {
  const hash = { high: 0xcbf29ce4, low: 0x84222325 };
  for (const byte of encoder.encode(text)) {
    hash.low = (hash.low ^ byte) >>> 0;
    multiply(hash, FNV_PRIME);
  }
  return hash;
}

const encoder = new TextEncoder();
const FNV_PRIME: Word = { high: 0x100, low: 0x1b3 };
/** 2862933555777941757. */
const LCG: Word = { high: 0x27bb2ee6, low: 0x87b0b0fd };

/** Multiplies modulo 2^64. */
function multiply(word: Word, { high, low }: Readonly<Word>): void {
  const [lower, upper] = [word.low & 0xffff, word.low >>> 16];
  const [otherLower, otherUpper] = [low & 0xffff, low >>> 16];
  const middle = upper * otherLower + ((lower * otherLower) >>> 16);
  const carry = upper * otherUpper + (middle >>> 16) + ((lower * otherUpper + (middle & 0xffff)) >>> 16);
  word.high = (Math.imul(word.high, low) + Math.imul(word.low, high) + carry) >>> 0;
  word.low = Math.imul(word.low, low) >>> 0;
}
