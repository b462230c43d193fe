import { afterEach, expect, test } from "vitest";
import { shardOfName } from "../../exporter/config/shards/jump-hash.ts";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { differences, seriesLike, type SeriesMap } from "../support/series.ts";
import {
  createShardsStage,
  type ShardsStage,
  type StagedShard,
  unionOf,
  unionWhen,
} from "../support/shards-stage.ts";

const NAMES = Array.from({ length: 12 }, (_, index) => `key-${index}`);
const MINUTE = 60_000;

let stage: ShardsStage | undefined;
afterEach(() => stage?.stop());

/** Twelve keys: key-N has a limit of N + 1 credits and has spent N millionths. */
function prepare({ addKey, setLimit, spend }: Gateway): void {
  for (const [index, name] of NAMES.entries()) {
    addKey({ name });
    setLimit(name, (index + 1) * 1_000_000);
    spend({ key: name, model: "acme/one", micros: index, force: true });
  }
}

const CONTENT: Partial<ConfigFileInput> = {
  budgets: [
    { name: "all", limit: 100, window: "month", keys: "all" },
    { name: "one", limit: 100, window: "month", keys: ["key-3"] },
    { name: "account", limit: 100, window: "month", account: true },
  ],
  discovery: {},
};

async function begin(total: number, content: Partial<ConfigFileInput> = CONTENT, perMinute = 0) {
  const created = await createShardsStage(prepare, content, perMinute);
  stage = created;
  const shards: StagedShard[] = [];
  for (let ordinal = 0; ordinal < total; ordinal++) shards.push(await created.start(ordinal, total));
  return { ...created, shards };
}

/** Runs so far that every key, query and list has an answer. */
async function settled({
  clock,
  shards,
}: {
  readonly clock: ShardsStage["clock"];
  readonly shards: readonly StagedShard[];
}) {
  await clock.runTo(clock.now() + 5 * MINUTE);
  return unionWhen(shards, (union) => usages(union).size === NAMES.length);
}

function usages(union: SeriesMap): SeriesMap {
  return seriesLike(union, /^aigateway_key_usage_credits\{/);
}

/** Without what depends on when it was asked, and the parts of budgets. */
function comparable(series: SeriesMap): SeriesMap {
  const other = /timestamp_seconds|_duration_|budget_(part|spent|complete)|credits_source/;
  return new Map([...series].filter(([name]) => !other.test(name)));
}

test.each([2, 3])(
  "the union of %d shards is what one exporter shows, and every key is polled once a minute",
  async (total) => {
    const { gateway, clock, shards, start, stop } = await begin(total);
    await settled({ clock, shards });
    gateway.log.clear();
    const from = clock.now();
    await clock.runTo(from + MINUTE);
    const polls = Map.groupBy(gateway.log.of("key"), ({ key }) => key);
    expect(polls.size).toBe(NAMES.length);
    for (const lines of polls.values()) expect(lines.length).toBe(1);
    const lone = await start(0, 1);
    await clock.runTo(clock.now() + 5 * MINUTE);
    const whole = await unionWhen([lone], (seen) => usages(seen).size === NAMES.length);
    expect(differences(comparable(await unionOf(shards)), comparable(whole))).toEqual([]);
    await stop();
    stage = undefined;
  },
);

test("no key has series of two shards, except what the list adds", async () => {
  const { clock, shards } = await begin(3);
  await settled({ clock, shards });
  const counts = new Map<string, number>();
  for (const shard of shards) {
    for (const name of (await shard.series()).keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const doubled = [...counts].filter(
    ([name, count]) => count > 1 && /^aigateway_(key|account|usage|query|unwatched)_/.test(name),
  );
  expect(doubled).toEqual([]);
});

test("a budget over keys of several shards has parts that add up, and one shard shows the others whole", async () => {
  const { clock, shards } = await begin(3);
  const union = await settled({ clock, shards });
  const parts = [...seriesLike(union, /^aigateway_budget_part_spent_credits\{budget="all"/).values()];
  expect(parts.length).toBe(new Set(NAMES.map((name) => shardOfName(name, 3))).size);
  expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(66e-6, 12);
  expect(union.get('aigateway_budget_parts{budget="all",shards="3"}')).toBe(parts.length);
  expect(union.has('aigateway_budget_spent_credits{budget="all"}')).toBe(false);
  expect(union.has('aigateway_budget_complete{budget="all"}')).toBe(false);
  expect(union.get('aigateway_budget_spent_credits{budget="one"}')).toBe(3e-6);
  expect(union.get('aigateway_budget_complete{budget="account"}')).toBe(1);
});

test("keys of other shards are not unwatched", async () => {
  const { clock, shards } = await begin(3, { ...CONTENT, discovery: { enabled: false } });
  const union = await settled({ clock, shards });
  expect(union.get("aigateway_unwatched_day_credits{}")).toBe(0);
});

test("shards keep the gateway's pace together", async () => {
  const { gateway, clock, shards } = await begin(3, CONTENT, 6);
  await clock.runTo(clock.now() + 3 * MINUTE);
  gateway.log.clear();
  await clock.runTo(clock.now() + 4 * MINUTE);
  // One more per shard, because a minute may begin with a permit that was saved up.
  expect(gateway.log.of("key").length).toBeLessThanOrEqual(4 * 6 + shards.length);
  expect(gateway.log.of("key").length).toBeGreaterThanOrEqual(4 * 6 - shards.length);
});

test("a resize from 2 to 3 and back leaves no key without its figure, and shows no wrong one", async () => {
  const { clock, shards, start } = await begin(2, {});
  const before = usages(await settled({ clock, shards }));
  const check = async (present: readonly StagedShard[]) => {
    expect(differences(usages(await unionOf(present)), before)).toEqual([]);
  };
  for (const shard of shards) {
    await shard.resize(3);
    await check(shards);
  }
  // The new shard begins a minute later, within the time to live.
  await clock.runTo(clock.now() + MINUTE);
  await check(shards);
  const third = await start(2, 3);
  await clock.runTo(clock.now() + MINUTE);
  await unionWhen(
    [third],
    (seen) => usages(seen).size === NAMES.filter((name) => shardOfName(name, 3) === 2).length,
  );
  await clock.runTo(clock.now() + 4 * MINUTE);
  await check([...shards, third]);
  for (const [ordinal, shard] of [...shards, third].entries()) {
    const own = [...usages(await shard.series()).keys()].toSorted();
    const expected = NAMES.filter((name) => shardOfName(name, 3) === ordinal);
    expect(own).toEqual(expected.map((name) => `aigateway_key_usage_credits{key="${name}"}`).toSorted());
  }
  for (const shard of shards) {
    await shard.resize(2);
    await check([...shards, third]);
  }
  await clock.runTo(clock.now() + MINUTE);
  await unionWhen(shards, (seen) => usages(seen).size === NAMES.length);
  await third.stop();
  await check(shards);
});

test("a key that lingers vanishes altogether when its values expire, and at once if it leaves the configuration", async () => {
  const { clock, shards } = await begin(2, {});
  await settled({ clock, shards });
  const [, second] = shards;
  const moved = NAMES.filter((name) => shardOfName(name, 2) === 1 && shardOfName(name, 3) === 2);
  expect(moved.length).toBeGreaterThan(0);
  await second?.resize(3);
  const of = async (name: string) =>
    seriesLike((await second?.series()) ?? new Map(), new RegExp(`key="${name}"`));
  const lingering = await of(moved[0] ?? "");
  expect([...lingering.keys()]).toContain(`aigateway_key_usage_credits{key="${moved[0]}"}`);
  expect(lingering.get(`aigateway_key_up{key="${moved[0]}"}`)).toBe(1);
  for (let passed = 0; passed < 200; passed += 10) {
    await clock.runTo(clock.now() + 10_000);
    expect((await of(moved[0] ?? "")).get(`aigateway_key_up{key="${moved[0]}"}`)).not.toBe(0);
  }
  expect([...(await of(moved[0] ?? "")).keys()]).toEqual([]);
});

test("the page names its part of the keys, and calls no part of a budget complete", async () => {
  const { clock, shards } = await begin(2);
  await settled({ clock, shards });
  const pages = await Promise.all(shards.map((shard) => shard.page()));
  for (const [ordinal, page] of pages.entries()) {
    const own = NAMES.filter((name) => shardOfName(name, 2) === ordinal).length;
    const text = page.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
    expect(text).toContain(
      `shard ${ordinal} of 2 (from 0) shows ${own} keys; other shards show ${12 - own} keys`,
    );
    expect(text).toContain(`${own} of 12 keys`);
    expect(text).toMatch(/Part of it[^%]*at least/);
  }
});

test("a second process of a shard shows the same, and doubles no figure of a fold by max", async () => {
  const { clock, shards, start } = await begin(2, {});
  const union = usages(await settled({ clock, shards }));
  const replica = await start(1, 2, 1);
  await clock.runTo(clock.now() + 2 * MINUTE);
  const own = usages((await shards[1]?.series()) ?? new Map());
  await unionWhen([replica], (seen) => usages(seen).size === own.size);
  expect(usages(await replica.series())).toEqual(own);
  expect(differences(usages(await unionOf([...shards, replica])), union)).toEqual([]);
});
