import { describe, expect, onTestFinished, test } from "vitest";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Switches } from "../../gateway/switches.ts";
import type { SeriesMap } from "../../support/series.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

type Content = Parameters<TestApp["apply"]>[0];

/** An exporter with a management key beside a gateway with these keys; it knows the secrets of some. */
async function start(
  prepare: (gateway: Gateway) => void,
  options: { switches?: Partial<Switches>; keys?: readonly string[]; discovery?: Content["discovery"] } = {},
): Promise<TestApp> {
  const { switches = {}, keys = [], discovery } = options;
  const app = await startTestApp({
    analytics: true,
    keys,
    gateway: () => ({ switches }),
    prepare,
    ...(discovery && { content: () => ({ discovery }) }),
  });
  onTestFinished(() => app.stop());
  return app;
}

/** The values of a family by the label `key`. */
function byKey(series: SeriesMap, family: string): Readonly<Record<string, number>> {
  const form = new RegExp(`^${family}\\{.*?\\bkey="([^"]*)"`);
  return Object.fromEntries(
    [...series].flatMap(([name, value]) => {
      const key = form.exec(name)?.[1];
      return key === undefined ? [] : [[key, value]];
    }),
  );
}

const listed = (app: TestApp, key: string) =>
  app.seriesWhen((series) => key in byKey(series, "aigateway_key_up"));

/** Number of the names of polled keys that a list has. */
const infos = (series: SeriesMap) =>
  [...series.keys()].filter((name) => /discovery_info.*source="poll"/.test(name)).length;

/** The next listing, wherever in the interval it is. */
const nextList = (app: TestApp) => app.clock.runTo(app.clock.now() + 601_000);

const USAGE = "aigateway_key_usage_credits";
const OF_MODELS = /^aigateway_query_credits\{.*query="keys-day"/;

function twoKeys(gateway: Gateway): void {
  gateway.addKey({ name: "one", title: "Prod Search", limitMicros: 10_000_000, limitReset: "monthly" });
  gateway.addKey({ name: "two", title: "batch", disabled: true });
  gateway.spend({ key: "one", model: "acme/one", micros: 1_500_000 });
}

function twoKeysWithCredits(gateway: Gateway): void {
  twoKeys(gateway);
  gateway.moveCredits({ kind: "purchase", micros: 1e6 });
}

describe("keys without their secrets", () => {
  test("are shown with limits and usage as polled keys are, if no key is configured", async () => {
    const app = await start(twoKeys);
    const series = await listed(app, "prod-search");
    expect(byKey(series, USAGE)).toEqual({ "prod-search": 1.5, batch: 0 });
    expect(byKey(series, "aigateway_key_limit_remaining_credits")).toEqual({ "prod-search": 8.5 });
    expect(byKey(series, "aigateway_key_unlimited")).toEqual({ "prod-search": 0, batch: 1 });
    expect(byKey(series, "aigateway_key_up")).toEqual({ "prod-search": 1, batch: 1 });
    expect(byKey(series, "aigateway_key_disabled")).toEqual({ "prod-search": 0, batch: 1 });
    expect(byKey(series, "aigateway_key_owner_info")).toEqual({ "prod-search": 1, batch: 1 });
    expect(byKey(series, "aigateway_key_unauthorized")).toEqual({});
    expect(series.get('aigateway_discovery_keys{workspace="default"}')).toBe(2);
    expect(series.get('aigateway_discovery_up{workspace="default"}')).toBe(1);
  });

  test("are shown with a short hash, by a gateway that has no analytics", async () => {
    const app = await start(
      (gateway) => gateway.addKey({ name: "short", hash: "a1b2c3d4e5f6", limitMicros: 5_000_000 }),
      { switches: { missingOperations: ["analytics", "meta", "credits"] }, discovery: {} },
    );
    const series = await listed(app, "short");
    expect(byKey(series, "aigateway_key_limit_remaining_credits")).toEqual({ short: 5 });
    expect([...series.keys()].find((name) => name.startsWith("aigateway_key_discovery_info"))).toContain(
      'hash="a1b2c3d4"',
    );
    expect(await app.page("/keys/short")).toContain("5.00");
  });

  test("are not listed if a key is configured, unless the configuration wants it", async () => {
    const app = await start(twoKeysWithCredits, { keys: ["one"] });
    await app.seriesWhen((series) => "one" in byKey(series, USAGE));
    await nextList(app);
    expect(byKey(await app.series(), USAGE)).toEqual({ one: 1.5 });
    expect(app.gateway.log.of("keys").length).toBe(0);
    await app.apply({ discovery: {} });
    expect(byKey(await listed(app, "batch"), USAGE)).toEqual({ one: 1.5, batch: 0 });
  });

  test("appear, change their names and vanish without a reload", async () => {
    const app = await start(twoKeys);
    await listed(app, "batch");
    app.gateway.rename("one", "Search");
    app.gateway.remove("two");
    app.gateway.addKey({ name: "three", title: "new" });
    await nextList(app);
    const series = await listed(app, "new");
    for (const family of [USAGE, "aigateway_key_up", "aigateway_key_owner_info"])
      expect(Object.keys(byKey(series, family)).toSorted()).toEqual(["new", "search"]);
  });
});

describe("the names of listed keys", () => {
  test("are plain, and unique by digits of the hash: the oldest key has the plain one", async () => {
    const app = await start((gateway) => {
      gateway.addKey({ name: "a", title: "Team/Ö Search!", createdAt: 3 });
      gateway.addKey({ name: "b", title: "team-search", createdAt: 2 });
      gateway.addKey({ name: "c", title: "", createdAt: 1 });
    });
    const [a, c] = ["a", "c"].map((name) => app.gateway.world.key(name).hash.slice(0, 8));
    const series = await listed(app, "team-search");
    expect(Object.keys(byKey(series, USAGE)).toSorted()).toEqual(
      ["team-search", `team-search-${a}`, `key-${c}`].toSorted(),
    );
  });

  test("reveal no secret", async () => {
    const secret = `sk-or-v1-${"5f".repeat(32)}`;
    const app = await start((gateway) => void gateway.addKey({ name: "a", title: `old ${secret}` }));
    const hash = app.gateway.world.key("a").hash.slice(0, 8);
    const series = await listed(app, `key-${hash}`);
    expect([...series.keys()].join("\n")).not.toMatch(/5f5f/);
    expect([...series.keys()].filter((name) => name.includes('api_key="_concealed"'))).toHaveLength(1);
  });

  test("show their owners, and decide which keys are shown", async () => {
    const app = await start(
      (gateway) => {
        for (const title of ["search-prod", "batch-prod", "batch-test", "other"])
          gateway.addKey({ name: title, title });
      },
      { discovery: { include: ["-"], exclude: ["-test$"], owner: "^(?<team>[a-z]+)-" } },
    );
    const series = await listed(app, "search-prod");
    expect(Object.keys(byKey(series, USAGE)).toSorted()).toEqual(["batch-prod", "search-prod"]);
    expect(series.get('aigateway_discovery_excluded_keys{workspace="default"}')).toBe(2);
    expect(
      [...series.keys()].filter((name) => /^aigateway_key_owner_info.*team="search"/.test(name)),
    ).toHaveLength(1);
  });
});

describe("a key that is configured and listed", () => {
  const discovery = {};

  test("is one key under its configured name", async () => {
    const app = await start(twoKeys, { keys: ["one"], discovery });
    const series = await listed(app, "batch");
    expect(byKey(series, USAGE)).toEqual({ one: 1.5, batch: 0 });
    expect(byKey(series, "aigateway_key_disabled")).toEqual({ one: 0, batch: 1 });
    expect(
      [...series.keys()].filter((name) => /discovery_info.*key="one".*source="poll"/.test(name)),
    ).toHaveLength(1);
  });

  test("is shown by the listing while its polls fail", async () => {
    const app = await start(twoKeys, { keys: ["one"], discovery });
    await listed(app, "batch");
    app.gateway.faults.add({ kind: "status", status: 401, endpoint: "key" });
    await app.clock.runTo(app.clock.now() + 900_000);
    app.gateway.spend({ key: "one", model: "acme/one", micros: 1_000_000 });
    await app.clock.runTo(app.clock.now() + 601_000);
    const series = await app.seriesWhen((shown) => byKey(shown, USAGE)["one"] === 2.5);
    expect(byKey(series, USAGE)).toEqual({ one: 2.5, batch: 0 });
    expect(byKey(series, "aigateway_key_up")).toEqual({ one: 0, batch: 1 });
    app.gateway.faults.clear();
    await app.clock.runTo(app.clock.now() + 120_000);
    app.gateway.spend({ key: "one", model: "acme/one", micros: 1_000_000 });
    await app.clock.runTo(app.clock.now() + 120_000);
    await app.seriesWhen((shown) => byKey(shown, USAGE)["one"] === 3.5);
  });

  test("that gets another secret shows nothing of the former one, and others stay", async () => {
    const app = await start(twoKeys, { keys: ["one", "two"], discovery });
    app.gateway.faults.add({ kind: "status", status: 503, endpoint: "key" });
    await app.seriesWhen((shown) => byKey(shown, USAGE)["one"] === 1.5);
    app.gateway.faults.add({ kind: "slow", delayMs: 3_600_000, endpoint: "keys" });
    const two = { name: "two", api_key_env: "KEY_1" };
    await app.apply({ keys: [{ name: "one", api_key_env: "KEY_1" }, two] });
    const series = await app.seriesWhen((shown) => byKey(shown, USAGE)["one"] === undefined);
    expect(byKey(series, USAGE)).toEqual({ two: 0 });
    expect([...series.keys()].filter((name) => /discovery_info.*api_key="Prod Search"/.test(name))).toEqual(
      [],
    );
  });

  test("with two names has the figures of the list under both, and loses one with its configuration", async () => {
    const app = await start(twoKeys, { keys: ["one"], discovery });
    const [one, also] = ["one", "also"].map((name) => ({ name, api_key_env: "KEY_0" }));
    if (!one || !also) return;
    app.gateway.faults.add({ kind: "status", status: 503, endpoint: "key" });
    await app.apply({ keys: [one, also] });
    const both = await app.seriesWhen(
      (shown) => "also" in byKey(shown, USAGE) && [...shown.keys()].some((name) => OF_MODELS.test(name)),
      { seconds: 60 },
    );
    expect(byKey(both, USAGE)).toEqual({ one: 1.5, also: 1.5, batch: 0 });
    expect(byKey(both, "aigateway_key_disabled")).toEqual({ one: 0, also: 0, batch: 1 });
    expect(infos(both)).toBe(2);
    const { keys } = await app.status();
    expect(
      keys.map(({ key, usage_credits, models_day }) => [key, usage_credits, models_day?.credits]),
    ).toEqual([
      ["one", 1.5, 1.5],
      ["also", 1.5, 1.5],
      ["batch", 0, 0],
    ]);
    app.gateway.faults.add({ kind: "status", status: 503, endpoint: "keys" });
    await app.apply({ keys: [also] });
    const left = await app.seriesWhen((shown) => !("one" in byKey(shown, USAGE)));
    expect(Object.keys(byKey(left, "aigateway_key_disabled"))).not.toContain("one");
    app.gateway.faults.clear();
    app.gateway.faults.add({ kind: "status", status: 503, endpoint: "keys", skip: 1 });
    await nextList(app);
    const after = await app.seriesWhen((shown) => byKey(shown, "aigateway_key_disabled")["also"] === 0);
    expect(infos(after)).toBe(1);
  });
});

describe("a listing that is refused, cut or partial", () => {
  test.each<[string, Parameters<Gateway["faults"]["add"]>[0], number]>([
    ["refused", { kind: "status", status: 403, endpoint: "keys" }, 0],
    ["cut after the first page", { kind: "status", status: 403, endpoint: "keys", skip: 1 }, 0],
  ])("%s withdraws nothing before its time to live", async (_, fault, up) => {
    const app = await start(many);
    await app.seriesWhen(all, { seconds: 30 });
    app.gateway.faults.add(fault);
    app.gateway.remove("key149");
    await nextList(app);
    const name = 'aigateway_discovery_up{workspace="default"}';
    const series = await app.seriesWhen((shown) => shown.get(name) === up);
    expect(all(series)).toBe(true);
    app.gateway.faults.clear();
    await nextList(app);
    const after = await app.seriesWhen((shown) => Object.keys(byKey(shown, USAGE)).length === 149);
    expect(after.get(name)).toBe(1);
  });
});

function many(gateway: Gateway): void {
  for (let index = 0; index < 150; index++) gateway.addKey({ name: `key${index}`, title: `k${index}` });
}

function all(series: SeriesMap): boolean {
  return Object.keys(byKey(series, USAGE)).length === 150;
}

test("findings name keys without a limit or an expiry, and those that nobody has used for 90 days", async () => {
  const day = 86_400_000;
  const app = await start(
    (gateway) => {
      const now = Date.UTC(2026, 10, 18, 12);
      const createdAt = now - 200 * day;
      gateway.addKey({ name: "good", createdAt, limitMicros: 1e6, expiresAt: now + 30 * day });
      gateway.addKey({ name: "open", createdAt });
      gateway.addKey({ name: "new", createdAt: now, limitMicros: 1e6, expiresAt: now + 30 * day });
      gateway.addKey({ name: "idle", createdAt, limitMicros: 1e6, expiresAt: now + 30 * day });
      gateway.addKey({ name: "off", createdAt, disabled: true });
      for (const key of ["good", "open"]) gateway.spend({ key, model: "acme/one", micros: 1 });
    },
    { switches: { extraKeyFields: true } },
  );
  const series = await listed(app, "off");
  const found = [...series.keys()].filter((name) => name.startsWith("aigateway_key_finding_info"));
  expect(found.map((name) => name.replace("aigateway_key_finding_info", "")).toSorted()).toEqual([
    '{finding="no_expiry",key="open"}',
    '{finding="no_limit",key="open"}',
    '{finding="unused",key="idle"}',
  ]);
});

test.each([
  ["every workspace by its name", [], ["Default", "Research"]],
  ["the default one where the service has no list of them", ["workspaces"], ["all"]],
] as const)("all workspaces: %s", async (_, missingOperations, names) => {
  const app = await start(
    (gateway) => {
      const workspace = "5b0e9d4e-7c0f-4f4e-9a39-0d2f6f1c7a10";
      gateway.world.addWorkspace(workspace, "Research");
      gateway.addKey({ name: "docs" });
      gateway.addKey({ name: "lab", workspace });
    },
    { switches: { missingOperations: [...missingOperations] }, discovery: { workspaces: "all" } },
  );
  const series = await listed(app, "docs");
  const workspaces = [...series.keys()].flatMap(
    (name) => /discovery_info\{.*workspace="([^"]*)"/.exec(name)?.[1] ?? [],
  );
  expect(workspaces.toSorted()).toEqual(names);
  expect(series.get('aigateway_discovery_keys{workspace="all"}')).toBe(names.length);
});
