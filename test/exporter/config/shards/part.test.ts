import { expect, test } from "vitest";
import { ownPart, partOf } from "../../../../exporter/config/shards/part.ts";
import {
  POD_INDEX,
  POD_NAME,
  shardOfName,
  thisShard,
  fnv1a,
  jumpHash,
} from "../../../../exporter/config/shards/shard.ts";
import {
  secretSource,
  testAnalytics,
  testBudget,
  testConfig,
  testGatewayConfig,
  testKey,
} from "../../../support/test-config.ts";
import { publishedBucket, publishedShard } from "../../../support/shards-stage.ts";

const NAMES = Array.from({ length: 40 }, (_, index) => `key-${index}`);
const ALL = { kind: "keys", names: NAMES } as const;

const WHOLE = testConfig({
  gateway: testGatewayConfig({ requestsPerMinute: 601, connections: 7 }),
  seriesLimit: 1001,
  keys: NAMES.map((name) => testKey(name)),
  analytics: testAnalytics(),
  discovery: { workspaces: [undefined], include: [], exclude: [], owner: undefined },
  budgets: [
    testBudget("account"),
    testBudget("all", { scope: ALL }),
    testBudget("one", { scope: { kind: "keys", names: ["key-3"] } }),
  ],
});

const shard = (ordinal: number, total: number, replica = 0) => ({ ordinal, total, replica });
const parts = (total: number) =>
  Array.from({ length: total }, (_, ordinal) => partOf(WHOLE, shard(ordinal, total)));
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

test("partOf leaves a configuration without shards as it is", () => {
  expect(partOf(WHOLE, shard(0, 1))).toBe(WHOLE);
});

test.each([2, 3, 7])("the parts of %d shards have each key once, and the other keys elsewhere", (total) => {
  const names = parts(total).flatMap(({ keys }) => keys.map(({ name }) => name));
  expect(names.toSorted()).toEqual(NAMES.toSorted());
  for (const { keys, part } of parts(total)) {
    expect([...keys, ...(part?.elsewhere ?? [])].map(({ name }) => name).toSorted()).toEqual(
      NAMES.toSorted(),
    );
    for (const { name } of keys) expect(shardOfName(name, total)).toBe(part?.ordinal);
  }
});

test.each([2, 3, 7])("%d shards share exactly what is configured", (total) => {
  const all = parts(total);
  expect(sum(all.map(({ gateway }) => gateway.requestsPerMinute))).toBe(601);
  expect(sum(all.map(({ gateway }) => gateway.connections))).toBe(7);
  expect(sum(all.map(({ seriesLimit }) => seriesLimit))).toBe(1001);
});

test("0 requests per minute are unlimited for every shard", () => {
  const unpaced = { ...WHOLE, gateway: testGatewayConfig({ requestsPerMinute: 0 }) };
  expect(partOf(unpaced, shard(1, 3)).gateway.requestsPerMinute).toBe(0);
});

test("everything about the account belongs to shard 0", () => {
  const [first, ...others] = parts(3);
  expect([first?.analytics, first?.discovery]).toEqual([WHOLE.analytics, WHOLE.discovery]);
  expect(first?.budgets.map(({ name }) => name)).toContain("account");
  for (const { analytics, discovery, budgets } of others) {
    expect([analytics, discovery]).toEqual([undefined, undefined]);
    expect(budgets.map(({ name }) => name)).not.toContain("account");
  }
});

test("a budget over keys of several shards has a part at each, and one over keys of one shard is whole there", () => {
  const found = parts(3).map(({ budgets }) => budgets.find(({ name }) => name === "all"));
  const names = found.flatMap((budget) => (budget?.scope.kind === "keys" ? budget.scope.names : []));
  expect(names.toSorted()).toEqual(NAMES.toSorted());
  expect(found.map((budget) => budget?.part)).toEqual(
    [0, 1, 2].map((ordinal) => ({ ordinal, total: 3, parts: 3, keys: 40 })),
  );
  const whole = parts(3).flatMap(({ budgets }) => budgets.filter(({ name }) => name === "one"));
  expect(whole).toEqual([WHOLE.budgets[2]]);
});

test("keys that pay for probes belong to shard 0 with the probes, which run in one replica only", () => {
  const probe = {
    name: "probe",
    team: "",
    secret: secretSource("sk-x"),
    model: "acme/one",
    audio: {
      origin: "the test",
      format: "mp3",
      read: () => Promise.resolve({ bytes: undefined, fault: undefined }),
    },
    expectedText: "",
    maxWordErrorRate: 1,
    expectedLanguage: undefined,
    responseFormat: "json",
    upload: "json",
    schedule: { kind: "interval", ms: 60_000 },
    timeoutMs: 1000,
  } as const;
  const probing = {
    probes: NAMES.slice(0, 9).map((key) => ({ ...probe, key })),
    ceilingCredits: 1,
    maxCostCredits: 1,
  };
  const config = { ...WHOLE, probing };
  const [first, second] = [partOf(config, shard(0, 2)), partOf(config, shard(1, 2))];
  expect(first.keys.map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES.slice(0, 9)));
  expect([first.probing, second.probing]).toEqual([probing, undefined]);
  expect(partOf(config, shard(0, 2, 1)).probing).toBe(undefined);
  expect(partOf(config, shard(0, 1, 1)).probing).toBe(undefined);
  expect(partOf(config, shard(0, 2, 1)).keys).toEqual(first.keys);
});

test.each([
  [{ shard: 1 }, {}, shard(1, 3)],
  [{ shard: 1 }, { [POD_INDEX]: "2" }, shard(1, 3)],
  [{}, { [POD_INDEX]: "2" }, shard(2, 3)],
  [{}, { [POD_INDEX]: "2", [POD_NAME]: "exporter-1" }, shard(2, 3)],
  [{}, { [POD_INDEX]: "", [POD_NAME]: "exporter-1" }, shard(1, 3)],
  [{}, { [POD_NAME]: "exporter-2-0" }, shard(0, 3)],
  [{}, { [POD_INDEX]: "5" }, shard(2, 3, 1)],
  [{ totalShards: 3 }, { [POD_INDEX]: "7" }, shard(1, 3, 2)],
] as const)("with the flags %j and the variables %j, the process is %j", (flags, environment, expected) => {
  expect(thisShard(3, flags, environment)).toEqual(expected);
});

test("without shards, a process needs no ordinal", () => {
  expect(thisShard(1, {}, {})).toEqual(shard(0, 1));
  expect(thisShard(1, { totalShards: 2, shard: 1 }, {})).toEqual(shard(1, 2));
});

test.each([
  [3, {}, {}, /is 3, but it is unknown which shard/],
  [3, {}, { [POD_NAME]: "exporter-abc" }, /is 3, but it is unknown which shard/],
  [3, { shard: 3 }, {}, /--shard must be from 0 to 2, not 3/],
  [1, { shard: 1 }, {}, /--shard must be from 0 to 0, not 1/],
  [3, { totalShards: 2, shard: 0 }, {}, /is 3, but --total-shards is 2/],
  [3, {}, { [POD_INDEX]: "two" }, /AIGATEWAY_EXPORTER_POD_INDEX.*"two"/],
  [3, {}, { [POD_INDEX]: "-1" }, /"-1"/],
  [3, {}, { [POD_NAME]: "exporter-12345678" }, /"12345678"/],
] as const)(
  "with a total of %d, the flags %j and the variables %j are refused",
  (total, flags, environment, message) => {
    expect(thisShard(total, flags, environment)).toEqual({
      path: "shards",
      message: expect.stringMatching(message),
    });
  },
);

test("ownPart refuses limits that give a shard less than 1", () => {
  const config = {
    ...WHOLE,
    gateway: testGatewayConfig({ requestsPerMinute: 2, connections: 1 }),
    seriesLimit: 2,
  };
  const part = ownPart(config, { shard: 0, totalShards: 3 }, {});
  expect(part.ok ? [] : part.problems.map(({ path }) => path)).toEqual([
    "gateway.requests_per_minute",
    "gateway.connections",
    "series_limit",
  ]);
});

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

test("shardOfName agrees with the published algorithms for names", () => {
  const names = Array.from({ length: 500 }, (_, index) => `team-${index % 7}.key-${index}`);
  for (const name of names) expect(shardOfName(name, 7)).toBe(publishedShard(name, 7));
});
