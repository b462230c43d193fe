import { expect, test } from "vitest";
import { fnv1a, jumpHash, shardOfName } from "../../../../exporter/config/shards/shard.ts";
import { publishedBucket, publishedShard } from "../../../support/published-shard.ts";

test.each([
  [1n, 1, 0],
  [42n, 57, 43],
  [0xdead10ccn, 1, 0],
  [0xdead10ccn, 666, 361],
  [256n, 1024, 520],
] as const)("jumpHash of %d among %d is the published one", (key, buckets, expected) => {
  expect(jumpHash(key, buckets)).toBe(expected);
});

test("jumpHash agrees with the published algorithm for keys of 64 bits", () => {
  let key = 0x0123456789abcdefn;
  for (let round = 0; round < 500; round++) {
    key = BigInt.asUintN(64, key * 6364136223846793005n + 1442695040888963407n);
    const extreme = [key, key | 0xffffffffn, key | 0xffffffff00000000n, BigInt.asUintN(64, -key)];
    for (const each of extreme) expect(jumpHash(each, 1 + round)).toBe(publishedBucket(each, 1 + round));
  }
});

test.each([
  ["", 0xcbf29ce484222325n],
  ["a", 0xaf63dc4c8601ec8cn],
  ["foobar", 0x85944171f73967e8n],
] as const)("fnv1a of %j is the published one", (text, expected) => {
  expect(fnv1a(text)).toBe(expected);
});

test("shardOfName hashes a name of several bytes per letter as other programs do", () => {
  expect(shardOfName("中国", 10)).toBe(5);
});

const NAMES = Array.from({ length: 10_000 }, (_, index) => `team-${index % 7}.key-${index}`);

test("shardOfName agrees with the published algorithms for names", () => {
  for (const name of NAMES.slice(0, 500)) expect(shardOfName(name, 7)).toBe(publishedShard(name, 7));
});

test.each([2, 3, 5, 16])("shardOfName spreads names evenly over %d shards", (total) => {
  const counts = Map.groupBy(NAMES, (name) => shardOfName(name, total));
  expect(counts.size).toBe(total);
  const even = NAMES.length / total;
  // Four standard deviations of an even spread.
  for (const names of counts.values())
    expect(Math.abs(names.length - even)).toBeLessThan(4 * Math.sqrt(even));
});

test.each([1, 2, 3, 7])("from %d shards to one more, names move to the new shard only", (total) => {
  const moved = NAMES.filter((name) => shardOfName(name, total) !== shardOfName(name, total + 1));
  expect(new Set(moved.map((name) => shardOfName(name, total + 1)))).toEqual(new Set([total]));
  const expected = NAMES.length / (total + 1);
  expect(Math.abs(moved.length - expected)).toBeLessThan(4 * Math.sqrt(expected));
});
