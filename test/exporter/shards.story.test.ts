import { afterEach, expect, test } from "vitest";
import { shardOfName } from "../../exporter/config/shards/shard.ts";
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

/** Without what depends on when it was asked, the parts of budgets, and what only the shard with the account knows. */
function comparable(series: SeriesMap): SeriesMap {
  const other =
    /timestamp_seconds|_duration_|budget_(part|spent|complete)|credits_source|_burn_|_forecast_|_outlook|_spendable_/;
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

test("shards keep the gateway's pace together", async () => {
  const { gateway, clock, shards } = await begin(3, CONTENT, 6);
  await clock.runTo(clock.now() + 3 * MINUTE);
  gateway.log.clear();
  await clock.runTo(clock.now() + 4 * MINUTE);
  // One more per shard, because a minute may begin with a permit that was saved up.
  expect(gateway.log.of("key").length).toBeLessThanOrEqual(4 * 6 + shards.length);
  expect(gateway.log.of("key").length).toBeGreaterThanOrEqual(4 * 6 - shards.length);
});

test("a resize withdraws a moved key at once here, and the other shard polls it", async () => {
  const { clock, shards, start } = await begin(2, {});
  const before = usages(await settled({ clock, shards }));
  for (const shard of shards) await shard.resize(3);
  const moved = NAMES.filter((name) => shardOfName(name, 3) === 2);
  expect(usages(await unionOf(shards)).size).toBe(NAMES.length - moved.length);
  const third = await start(2, 3);
  await clock.runTo(clock.now() + MINUTE);
  const union = await unionWhen([...shards, third], (seen) => usages(seen).size === NAMES.length);
  expect(differences(usages(union), before)).toEqual([]);
  for (const [ordinal, shard] of [...shards, third].entries()) {
    const own = [...usages(await shard.series()).keys()].toSorted();
    const expected = NAMES.filter((name) => shardOfName(name, 3) === ordinal);
    expect(own).toEqual(expected.map((name) => `aigateway_key_usage_credits{key="${name}"}`).toSorted());
  }
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
