import { expect, onTestFinished, test } from "vitest";
import { seriesName } from "../../support/series.ts";
import { startTestApp, type TestAppOptions } from "../../support/test-app.ts";

// Every budget that can stop a key (vendor-2026-10): the key's own layers, the shared ones, and what is left of them.

const MINUTE = 60_000;
const DECEMBER = Date.UTC(2026, 11, 1) / 1000;
const NEXT_DAY = Date.UTC(2026, 10, 19) / 1000;

async function start(prepare: NonNullable<TestAppOptions["prepare"]>, options: Partial<TestAppOptions> = {}) {
  const app = await startTestApp({
    start: "2026-11-18T12:00:00Z",
    gateway: () => ({ switches: { keyBudgets: true, extraKeyFields: true } }),
    prepare,
    ...options,
  });
  onTestFinished(() => app.stop());
  const series = await app.seriesWhen(
    (shown) => shown.get(seriesName("aigateway_key_up", { key: "docs" })) === 1,
  );
  const shown = () =>
    [...series]
      .filter(
        ([name]) =>
          /_layer_|spendable|shared_limit|key_unlimited/.test(name) &&
          !/_outlook|_burn_|_exhaustion_/.test(name),
      )
      .map(([name, value]) => `${name.replace(/^aigateway_/, "")} ${value}`);
  return { ...app, shown: shown() };
}

test("a key without a limit of its own is blocked by its workspace, which is one series for all of its keys", async () => {
  const app = await start((gateway) => {
    for (const name of ["docs", "search"]) gateway.addKey({ name, creator: "ann" });
    gateway.spend({ key: "search", model: "acme/one", micros: 500_250_000 });
    const budget = { keys: ["docs", "search"], reset: "monthly" } as const;
    gateway.setBudget({ ...budget, scope: "workspace", id: "b1", micros: 500_000_000 });
    gateway.setBudget({ ...budget, scope: "member", id: "g1", micros: 550_000_000 });
  });
  expect(app.shown).toEqual([
    'key_unlimited{key="docs"} 0',
    'key_unlimited{key="search"} 0',
    'key_spendable_credits{bounded_by="workspace",key="docs"} -0.25',
    'key_spendable_credits{bounded_by="workspace",key="search"} -0.25',
    'key_shared_limit_info{id="g1/ann",key="docs",source="member"} 1',
    'key_shared_limit_info{id="b1",key="docs",source="workspace"} 1',
    'key_shared_limit_info{id="g1/ann",key="search",source="member"} 1',
    'key_shared_limit_info{id="b1",key="search",source="workspace"} 1',
    'shared_limit_credits{id="g1/ann",source="member"} 550',
    'shared_limit_credits{id="b1",source="workspace"} 500',
    'shared_limit_spent_credits{id="g1/ann",source="member"} 500.25',
    'shared_limit_spent_credits{id="b1",source="workspace"} 500.25',
    'shared_limit_remaining_credits{id="g1/ann",source="member"} 49.75',
    'shared_limit_remaining_credits{id="b1",source="workspace"} -0.25',
    `shared_limit_next_reset_timestamp_seconds{id="g1/ann",source="member"} ${DECEMBER}`,
    `shared_limit_next_reset_timestamp_seconds{id="b1",source="workspace"} ${DECEMBER}`,
  ]);
  const text = (await app.page()).replaceAll(/<[^>]*>/g, "");
  expect(text).toMatch(
    /Budget workspace ▲ Used up budget workspace: nothing of 500\.00 left, resets in 12 d .*; stops 2 keys: docs, search/,
  );
  expect(await app.page()).not.toContain("unlimited</span>");
  const own = (await app.page("/keys/docs")).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  expect(own).toMatch(
    /Limit none of its own .* member shared with other keys 550\.00 500\.25 49\.75 in 12 d/,
  );
  const { keys } = await app.status();
  expect(keys[0]).toMatchObject({
    unlimited: false,
    outlook: "exhausted",
    states: ["stopped", "up"],
    layers: [
      { source: "member", shared_id: "g1/ann" },
      { source: "workspace", remaining_credits: -0.25 },
    ],
  });
});

test("a guardrail, a limit of the configuration and the key's own limit stand side by side", async () => {
  const { shown } = await start(
    (gateway) => {
      gateway.addKey({ name: "docs", limitMicros: 100_000_000, limitReset: "monthly" });
      gateway.spend({ key: "docs", model: "acme/one", micros: 40_000_000 });
      gateway.setBudget({ scope: "api_key", id: "g2", keys: ["docs"], micros: 40_500_000, reset: "daily" });
    },
    {
      content: () => ({
        keys: [{ name: "docs", api_key_env: "KEY_0", limit: { credits: 90, window: "none" } }],
      }),
    },
  );
  expect(shown).toEqual([
    'key_unlimited{key="docs"} 0',
    'key_layer_limit_credits{key="docs",source="api_key"} 40.5',
    'key_layer_limit_credits{key="docs",source="key_limit"} 100',
    'key_layer_limit_credits{key="docs",source="mirrored"} 90',
    'key_layer_spent_credits{key="docs",source="api_key"} 40',
    'key_layer_spent_credits{key="docs",source="key_limit"} 40',
    'key_layer_spent_credits{key="docs",source="mirrored"} 40',
    'key_layer_remaining_credits{key="docs",source="api_key"} 0.5',
    'key_layer_remaining_credits{key="docs",source="key_limit"} 60',
    'key_layer_remaining_credits{key="docs",source="mirrored"} 50',
    `key_layer_next_reset_timestamp_seconds{key="docs",source="api_key"} ${NEXT_DAY}`,
    `key_layer_next_reset_timestamp_seconds{key="docs",source="key_limit"} ${DECEMBER}`,
    'key_spendable_credits{bounded_by="api_key",key="docs"} 0.5',
  ]);
});

test("the lifetime budget that a workspace gives each key leaves a tenth of a credit, and never resets", async () => {
  const app = await start((gateway) => {
    gateway.addKey({ name: "docs" });
    const budget = { scope: "workspace_default_key", id: "g3", keys: ["docs"], includeByok: true } as const;
    gateway.setBudget({ ...budget, micros: 10_000_000, reset: null });
    gateway.spend({ key: "docs", model: "acme/one", micros: 9_900_000 });
  });
  expect(app.shown).toEqual([
    'key_unlimited{key="docs"} 0',
    'key_layer_limit_credits{key="docs",source="workspace_default_key"} 10',
    'key_layer_spent_credits{key="docs",source="workspace_default_key"} 9.9',
    expect.stringMatching(
      /^key_layer_remaining_credits\{key="docs",source="workspace_default_key"\} 0\.0?[19]/,
    ),
    expect.stringMatching(
      /^key_spendable_credits\{bounded_by="workspace_default_key",key="docs"\} 0\.0?[19]/,
    ),
  ]);
  expect((await app.page("/keys/docs")).replaceAll(/<[^>]*>/g, "")).toContain("workspace_default_key");
});

test.each([
  ["that buys credits bounds what can be spent", 30_000_000, "account", 29],
  ["that buys none is billed otherwise, and bounds nothing", 0, "key_limit", 99],
])("an older service shows the key's own limit, and an account %s", async (_, micros, bound, left) => {
  const app = await start(
    (gateway) => {
      gateway.addKey({ name: "docs", limitMicros: 100_000_000, limitReset: "monthly" });
      if (micros > 0) gateway.moveCredits({ kind: "purchase", micros });
      gateway.spend({ key: "docs", model: "acme/one", micros: 1_000_000 });
    },
    { gateway: () => ({}), analytics: true },
  );
  expect(app.shown).toEqual([
    'key_unlimited{key="docs"} 0',
    'key_spendable_credits{bounded_by="key_limit",key="docs"} 99',
  ]);
  await app.clock.runTo(app.clock.now() + 10 * MINUTE);
  const spendable = seriesName("aigateway_key_spendable_credits", { key: "docs", bounded_by: bound });
  const series = await app.seriesWhen((shown) => shown.get(spendable) === left);
  expect([series.has("aigateway_account_balance_credits{}"), series.get(spendable)]).toEqual([true, left]);
});

test("unknown scopes and intervals are shown as they are, and what is left until midnight only", async () => {
  const app = await start((gateway) => {
    gateway.addKey({ name: "docs" });
    const layer = { scope: "team_of_teams", limit_usd: 9, spend_usd: "2.5", remaining_usd: 6.5 };
    gateway.faults.add({
      kind: "body",
      endpoint: "key",
      body: JSON.stringify({
        data: { usage: 2.5, limit: null, budgets: [{ ...layer, reset_interval: "fortnightly" }, "strange"] },
      }),
    });
  });
  expect(app.shown).toEqual([
    'key_unlimited{key="docs"} 0',
    'key_layer_limit_credits{key="docs",source="team_of_teams"} 9',
    'key_layer_spent_credits{key="docs",source="team_of_teams"} 2.5',
    'key_layer_remaining_credits{key="docs",source="team_of_teams"} 6.5',
    'key_spendable_credits{bounded_by="team_of_teams",key="docs"} 6.5',
  ]);
});

test.each([
  ["lists expired keys on demand", "on_demand", 0],
  ["is too old for that, and is not asked again", "parameter_refused", 1],
] as const)("a key that expires keeps its figures while the service %s", async (_, expiredKeys, refusals) => {
  const app = await startTestApp({
    start: "2026-11-18T11:50:00Z",
    gateway: () => ({ switches: { expiredKeys } }),
    analytics: true,
    keys: [],
    prepare: (gateway) => {
      gateway.addKey({ name: "docs", expiresAt: Date.UTC(2026, 10, 18, 12) });
      gateway.addKey({ name: "gone", expiresAt: Date.UTC(2026, 9, 18, 12) });
      gateway.spend({ key: "docs", model: "acme/one", micros: 7_000_000 });
    },
  });
  onTestFinished(() => app.stop());
  await app.clock.runTo(Date.UTC(2026, 10, 18, 12, 30));
  const spent = seriesName("aigateway_key_usage_day_credits", { key: "docs" });
  const series = await app.seriesWhen((shown) => shown.has("aigateway_unwatched_day_credits{}"));
  expect(series.get(spent)).toBe(7);
  expect(series.get("aigateway_unwatched_day_credits{}")).toBe(0);
  expect([...series.keys()].filter((name) => name.includes('"gone"'))).toEqual([]);
  const refused = app.gateway.log.lines.filter(({ status }) => status === 400);
  expect(refused).toHaveLength(refusals);
});
