import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type DimensionName, dimensionNames } from "../gateway/analytics/dimensions.ts";
import {
  additiveInteger,
  type AdditiveMetric,
  additiveMetricNames,
  isMoney,
} from "../gateway/analytics/metrics.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import type { Entry } from "../gateway/ledger.ts";
import { DAY, HOUR } from "../gateway/windows.ts";
import { ask, getData, listKeys } from "./client.ts";

/**
 * Weeks of random lives: keys are created, renamed, disabled and deleted while they and others spend, with BYOK. Every
 * answer must equal a recount of the ledger's entries, whatever happened.
 */
const startAt = Date.parse("2026-10-28T06:00:00Z");
const hidden = "0df9e665-d932-5740-b2c7-b52af166bc11";

const step = fc.record({
  hours: fc.integer({ min: 0, max: 60 }),
  act: fc.constantFrom(
    "spend",
    "spend",
    "spend",
    "create",
    "rename",
    "disable",
    "enable",
    "remove",
    "credits",
  ),
  who: fc.nat(),
  micros: fc.integer({ min: 1, max: 9_999_999 }),
  byokMicros: fc.constantFrom(0, 0, 333_333),
  model: fc.constantFrom("acme/one", "acme/two", "borealis/one"),
  app: fc.constantFrom(null, "Chat", "Batch", ""),
  user: fc.constantFrom(null, "user_ada", "user_alan"),
  provider: fc.constantFrom("North", "South"),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

test("every answer about the account equals the ledger, over weeks of random lives", async () => {
  const outcome = await fc.check(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const gateway = createGateway({ now: () => startAt });
      await gateway.start();
      try {
        gateway.addKey({ name: "chat", keyless: true });
        for (const each of steps) act(gateway, each);
        await judge(gateway);
      } finally {
        await gateway.stop();
      }
    }),
    { numRuns: 25, seed: 17 },
  );
  expect(fc.defaultReportMessage(outcome)).toBeUndefined();
});

function act(gateway: Gateway, { hours, who, ...wanted }: Step): void {
  const { world, clock } = gateway;
  clock.advance(hours * HOUR);
  const alive = [...world.keys.values()].filter((key) => !key.management && key.deletedAt === null);
  const key = alive[who % alive.length]?.name ?? "chat";
  switch (wanted.act) {
    case "spend": {
      const { micros, byokMicros, model, app, user, provider } = wanted;
      gateway.spend({ key, micros, byokMicros, model, app, user, provider, force: true });
      return;
    }
    case "create":
      gateway.addKey({
        name: `key-${world.keys.size}`,
        title: `Key ${who % 3}`,
        workspace: who % 4 ? null : hidden,
      });
      return;
    case "rename":
      return gateway.rename(key, `Renamed ${who % 3}`);
    case "disable":
      return gateway.disable(key);
    case "enable":
      return gateway.enable(key);
    case "remove":
      return key === "chat" ? undefined : gateway.remove(key);
    case "credits":
      return gateway.moveCredits(
        who % 2 ? { kind: "purchase", micros: who + 1 } : { kind: "expiry", micros: -who - 1 },
      );
  }
}

async function judge(gateway: Gateway): Promise<void> {
  const end = gateway.clock.now() + 1;
  const entries = [...gateway.books.entries()];
  const start = end - 10 * DAY;
  const recent = entries.filter(({ at }) => at >= start);
  const time_range = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
  const second = dimensionNames[recent.length % dimensionNames.length] ?? "model";
  for (const first of dimensionNames) {
    const dimensions = first === second ? [first] : [first, second];
    const { data } = await ask(gateway, { metrics: additiveMetricNames, dimensions, time_range });
    expectSums(data, recent);
    expect(merged(data, dimensions)).toEqual(
      new Map(
        gateway.books
          .usage({ start, end }, dimensions)
          .map(({ labels, integers }) => [
            JSON.stringify(dimensions.map((name) => shown(name, labels[name] ?? null))),
            integers.credits_usage,
          ]),
      ),
    );
  }
  await judgeKeys(gateway, entries);
  await judgeUnwatched(gateway, recent, time_range);
  const bought = gateway.books.balance().movements.reduce((sum, { micros }) => sum + micros, 0);
  expect(await getData(gateway, "/credits")).toEqual({
    total_credits: bought / 1e6,
    total_usage: sumOf(entries, "credits_usage") / 1e6,
  });
}

async function judgeKeys(gateway: Gateway, entries: readonly Entry[]): Promise<void> {
  const listed = [];
  for (const workspace of gateway.world.workspaces.keys()) {
    listed.push(...(await listKeys(gateway, `?include_disabled=true&workspace_id=${workspace}`)));
  }
  const expected = [...gateway.world.keys.values()]
    .filter(({ management, keyless, deletedAt }) => !management && !keyless && deletedAt === null)
    .map(({ hash, title, disabled }) => {
      const own = entries.filter(({ route }) => route.key.hash === hash);
      const [usage, byok_usage] = [sumOf(own, "credits_usage") / 1e6, sumOf(own, "byok_usage") / 1e6];
      return { hash, name: title, disabled, usage, byok_usage };
    });
  const rows = listed.map(({ hash, name, disabled, usage, byok_usage }) => ({
    hash,
    name,
    disabled,
    usage,
    byok_usage,
  }));
  expect(new Set(rows)).toEqual(new Set(expected));
}

/** Half of the existing keys are watched; the filter takes their hashes. */
async function judgeUnwatched(
  gateway: Gateway,
  recent: readonly Entry[],
  time_range: unknown,
): Promise<void> {
  const watched = gateway.books.keys().filter((_, index) => index % 2 === 0);
  const value = watched.map(({ hash }) => hash);
  const filters = [{ field: "api_key_id", operator: "not_in", value, include_unset: true }];
  const answer = await ask(gateway, { metrics: additiveMetricNames, filters, time_range });
  expect(answer).not.toHaveProperty("warnings");
  expectSums(
    answer.data,
    recent.filter(({ route }) => !value.includes(route.key.hash)),
  );
}

type Row = Readonly<Record<string, string | number | null>>;

function expectSums(rows: readonly Row[], entries: readonly Entry[]): void {
  for (const metric of additiveMetricNames) {
    const sum = rows.reduce((total, row) => total + integer(row, metric), 0);
    expect([metric, sum]).toEqual([metric, sumOf(entries, metric)]);
  }
}

function integer(row: Row, metric: AdditiveMetric): number {
  return Math.round(Number(row[metric]) * (isMoney(metric) ? 1e6 : 1));
}

function sumOf(entries: readonly Entry[], metric: AdditiveMetric): number {
  return entries.reduce((total, entry) => total + additiveInteger(metric, entry), 0);
}

/** Rows with equal labels, summed. */
function merged(rows: readonly Row[], dimensions: readonly string[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const name = JSON.stringify(dimensions.map((dimension) => row[dimension]));
    sums.set(name, (sums.get(name) ?? 0) + integer(row, "credits_usage"));
  }
  return sums;
}

function shown(dimension: DimensionName, label: string | null): string | null {
  return dimension === "api_key_id" && label === null ? "Chatroom" : label;
}
