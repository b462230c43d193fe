import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import type { Switches } from "../gateway/switches.ts";
import { DAY, MINUTE } from "../gateway/windows.ts";
import { ask, get, getData, type KeyData, keyData, listKeys, query } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:00.000Z");
const workspace = "0df9e665-d932-5740-b2c7-b52af166bc11";
let now = noon;
let gateway: Gateway;
const turn = (switches: Partial<Switches>): void => void Object.assign(gateway.switches, switches);
const namesOf = (rows: readonly KeyData[]) => rows.map(({ name }) => name);
const rowOf = async (name: string): Promise<KeyData> =>
  getData(gateway, `/keys/${gateway.world.key(name).hash}`);

beforeEach(async () => {
  now = noon;
  gateway = createGateway({ now: () => now });
  await gateway.start();
});
afterEach(() => gateway.stop());

describe("a row of GET /keys", () => {
  beforeEach(() => {
    gateway.addKey({
      name: "billing",
      title: "Billing (prod)",
      limitMicros: 10_500_000,
      limitReset: "monthly",
      includeByokInLimit: true,
      expiresAt: noon + DAY,
      creator: "user_ada",
      externalUser: "customer-7",
      workspace,
    });
    gateway.spend({ key: "billing", model: "acme/one", micros: 1_234_567, byokMicros: 500_000 });
  });

  test("has every field", async () => {
    gateway.setLimit("billing", 10_000_000);
    const { hash } = gateway.world.key("billing");
    const row = {
      hash,
      name: "Billing (prod)",
      label: expect.stringMatching(/^sk-sim-v1-..\.\.\....$/u),
      disabled: false,
      limit: 10,
      limit_remaining: 8.265433,
      limit_reset: "monthly",
      include_byok_in_limit: true,
      usage: 1.234567,
      usage_daily: 1.234567,
      usage_weekly: 1.234567,
      usage_monthly: 1.234567,
      byok_usage: 0.5,
      byok_usage_daily: 0.5,
      byok_usage_weekly: 0.5,
      byok_usage_monthly: 0.5,
      created_at: "2026-11-18T12:00:00.000Z",
      updated_at: "2026-11-18T12:00:00.000Z",
      expires_at: "2026-11-19T12:00:00.000Z",
      creator_user_id: "user_ada",
      workspace_id: workspace,
      external_user: "customer-7",
    };
    expect(await listKeys(gateway, `?workspace_id=${workspace}`)).toEqual([row]);
    expect(await getData(gateway, `/keys/${hash}`)).toEqual(row);
    expect(hash).toMatch(/^[0-9a-f]{64}$/u);
  });

  test.each<[Partial<Switches>, number]>([
    [{}, 0],
    [{ lagMs: 90_000 }, MINUTE],
    [{ staleAfterMidnightMs: 90_000 }, DAY / 2 + MINUTE],
    [{ keyNumbersAsStrings: true, limitResetText: "Monthly" }, DAY],
    [{ missingKeyFields: ["usage_daily", "limit_reset"] }, 13 * DAY],
  ])("shows limits and usage as GET /key does: %j after %i ms", async (switches, ms) => {
    turn(switches);
    gateway.addKey({ name: "search", limitMicros: 7_000_000, limitReset: "weekly" });
    gateway.spend({ key: "search", model: "acme/one", micros: 1_000_001 });
    now = noon + ms;
    const { label, limit, limit_reset, limit_remaining, include_byok_in_limit, ...own } = await keyData(
      gateway,
      "search",
    );
    const usage = Object.fromEntries(Object.entries(own).filter(([name]) => name.includes("usage")));
    const limits = { limit, limit_remaining, ...(limit_reset === undefined ? {} : { limit_reset }) };
    const row = await rowOf("search");
    expect(row).toMatchObject({ label, include_byok_in_limit, ...limits, ...usage });
    expect(Object.keys(usage)).toHaveLength(switches.missingKeyFields === undefined ? 8 : 7);
    expect("usage_daily" in row).toBe(switches.missingKeyFields === undefined);
  });

  test("can have times with offset and microseconds", async () => {
    turn({ keyTimes: "offset" });
    expect(await rowOf("billing")).toMatchObject({
      created_at: "2026-11-18T12:00:00.000000+00:00",
      updated_at: null,
      expires_at: "2026-11-19T12:00:00.000000+00:00",
    });
  });
});

describe("GET /keys lists", () => {
  test("the default workspace, or the one that is named", async () => {
    gateway.addKey({ name: "here" });
    gateway.addKey({ name: "there", workspace });
    const byDefault = "00000000-0000-4000-8000-000000000000";
    expect(namesOf(await listKeys(gateway))).toEqual(["here"]);
    expect(namesOf(await listKeys(gateway, `?workspace_id=${byDefault}`))).toEqual(["here"]);
    expect(namesOf(await listKeys(gateway, `?workspace_id=${workspace.toUpperCase()}`))).toEqual(["there"]);
    expect(await listKeys(gateway, `?workspace_id=${workspace.replace("0df9", "0df8")}`)).toEqual([]);
  });

  test("disabled keys only on demand, and expired keys always", async () => {
    gateway.addKey({ name: "open" });
    gateway.addKey({ name: "closed", disabled: true });
    gateway.addKey({ name: "expired", expiresAt: noon - 1 });
    expect(namesOf(await listKeys(gateway))).toEqual(["expired", "open"]);
    expect(namesOf(await listKeys(gateway, "?include_disabled=false"))).toEqual(["expired", "open"]);
    expect(namesOf(await listKeys(gateway, "?include_disabled=true"))).toEqual(["expired", "closed", "open"]);
  });

  test("neither management keys, nor activity without a key, nor other accounts", async () => {
    gateway.world.addAccount("other");
    gateway.addKey({ name: "theirs", account: "other" });
    gateway.addKey({ name: "chat", keyless: true });
    gateway.addKey({ name: "second-management", management: true });
    expect(await listKeys(gateway, "?include_disabled=true")).toEqual([]);
    const { hash } = gateway.world.key("theirs");
    expect((await get(gateway, `/keys/${hash}`, gateway.managementToken)).status).toBe(404);
    expect([...gateway.tokens.keys()]).not.toContain("chat");
  });
});

describe("pages", () => {
  test("have 100 keys, newest first, and together every key once", async () => {
    add(250);
    const listed = await pages();
    expect(listed.map(({ length }) => length)).toEqual([100, 100, 50]);
    expect(listed.flat()).toEqual(existing().toReversed());
  });

  test("can be smaller, and oldest first", async () => {
    turn({ keysPerPage: 3, keysOrder: "oldest_first" });
    add(7);
    const listed = await pages();
    expect(listed.map(({ length }) => length)).toEqual([3, 3, 1]);
    expect(listed.flat()).toEqual(existing());
  });

  test.each<[Switches["keysOrder"], number]>([
    ["newest_first", 8],
    ["oldest_first", 9],
  ])("lose no key while keys are created between them: %s", async (keysOrder, distinct) => {
    turn({ keysPerPage: 3, keysOrder });
    add(8);
    const before = existing();
    const listed = (await pages((page) => page === 1 && add(1))).flat();
    expect(new Set(listed).size).toBe(distinct);
    expect(listed).toHaveLength(9);
    expect(before.filter((hash) => !listed.includes(hash))).toEqual([]);
  });

  test.each(["newest_first", "oldest_first"] as const)(
    "skip a key if one of an earlier page is deleted: %s",
    async (keysOrder) => {
      turn({ keysPerPage: 3, keysOrder });
      add(8);
      const [oldest, newest] = ["key-1", "key-8"];
      const listed = (
        await pages((page) => page === 1 && gateway.remove(keysOrder === "oldest_first" ? oldest : newest))
      ).flat();
      expect(existing().filter((hash) => !listed.includes(hash))).toHaveLength(1);
    },
  );

  test("follow the hook after each answer", async () => {
    add(1);
    gateway.hooks.afterQuery = ({ endpoint }) => void (endpoint === "keys" && add(1));
    expect([(await listKeys(gateway)).length, (await listKeys(gateway)).length]).toEqual([1, 2]);
  });

  test("beyond the last key are empty", async () => {
    add(2);
    expect(await listKeys(gateway, "?offset=2")).toEqual([]);
    expect(await listKeys(gateway, "?offset=999999999")).toEqual([]);
  });
});

describe("the life of a key", () => {
  beforeEach(() => {
    gateway.addKey({ name: "billing" });
    spend();
    now = noon + MINUTE;
  });

  test("a renamed key keeps its hash, and analytics show its new name for the past as well", async () => {
    gateway.rename("billing", "Payments");
    expect(await rowOf("billing")).toMatchObject({
      name: "Payments",
      updated_at: "2026-11-18T12:01:00.000Z",
    });
    expect(await usageByKey()).toEqual([{ api_key_id: "Payments", credits_usage: 1 }]);
    expect((await byHash()).data).toEqual([{ credits_usage: 1 }]);
  });

  test("a disabled key is refused and its hash still known", async () => {
    gateway.disable("billing");
    expect(spend()).toBe(401);
    expect((await byHash()).data).toEqual([{ credits_usage: 1 }]);
    gateway.enable("billing");
    expect(spend()).toBe(200);
  });

  test("a deleted key is refused, not listed, and its hash unknown, but its spend remains", async () => {
    gateway.remove("billing");
    expect(spend()).toBe(401);
    expect((await get(gateway, "/key", gateway.tokens.get("billing") ?? "")).status).toBe(401);
    expect(await listKeys(gateway, "?include_disabled=true")).toEqual([]);
    await expect(rowOf("billing")).rejects.toThrow("404");
    expect(await usageByKey()).toEqual([{ api_key_id: "billing", credits_usage: 1 }]);
    expect(await byHash()).toMatchObject({
      data: [{ credits_usage: 0 }],
      warnings: [expect.stringContaining(gateway.world.key("billing").hash)],
    });
    expect(() => gateway.rename("billing", "again")).toThrow('Cannot change key "billing": it is deleted');
  });

  test("an expiry can be set and lifted", async () => {
    gateway.setExpiry("billing", now);
    expect([(await rowOf("billing"))["expires_at"], spend()]).toEqual(["2026-11-18T12:01:00.000Z", 401]);
    gateway.setExpiry("billing", null);
    expect([(await rowOf("billing"))["expires_at"], spend()]).toEqual([null, 200]);
  });

  test("a limit can change its reset", async () => {
    gateway.setLimit("billing", 5e6, "daily");
    expect(await rowOf("billing")).toMatchObject({ limit: 5, limit_reset: "daily", limit_remaining: 4 });
    gateway.setLimit("billing", 6e6);
    expect(await rowOf("billing")).toMatchObject({ limit: 6, limit_reset: "daily" });
  });
});

describe("a wrong request", () => {
  test.each([
    ["?offset=-1", "offset"],
    ["?offset=1.5", "offset"],
    ["?offset=", "offset"],
    ["?include_disabled=maybe", "include_disabled"],
    ["?workspace_id=Default", "workspace_id"],
    ["?page=2", "page"],
  ])("GET /keys%s is a 400 that names the parameter", async (parameters, name) => {
    const answer = await get(gateway, `/keys${parameters}`, gateway.managementToken);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`\\"${name}\\"`)]);
  });

  test.each(["/keys", "/keys/abc", "/analytics/meta"])("GET %s of an ordinary key is a 403", async (path) => {
    const token = gateway.addKey({ name: "billing" });
    expect((await get(gateway, path, token)).status).toBe(403);
    expect((await get(gateway, path, "")).status).toBe(401);
  });
});

describe("faults and switches", () => {
  test("a fault can spare the first pages", async () => {
    gateway.addKey({ name: "billing" });
    gateway.faults.add({ kind: "status", status: 503, endpoint: "keys", skip: 1, times: 1 });
    const statuses = [];
    for (let call = 0; call < 3; call += 1) {
      statuses.push((await get(gateway, "/keys", gateway.managementToken)).status);
    }
    expect(statuses).toEqual([200, 503, 200]);
    expect((await query(gateway, { metrics: ["credits_usage"] })).status).toBe(200);
  });

  test.each(["meta", "keys", "credits"] as const)("an older deployment lacks %s", async (endpoint) => {
    const paths = { meta: "/analytics/meta", keys: "/keys", credits: "/credits" };
    expect((await get(gateway, paths[endpoint], gateway.managementToken)).status).toBe(200);
    turn({ missingOperations: [endpoint] });
    expect((await get(gateway, paths[endpoint], gateway.managementToken)).status).toBe(404);
  });
});

function add(count: number): void {
  for (let index = 0; index < count; index += 1) {
    now += 1000;
    gateway.addKey({ name: `key-${gateway.world.keys.size}` });
  }
}

/** The hashes of every page, until one is empty. */
async function pages(betweenPages: (page: number) => void = () => undefined): Promise<unknown[][]> {
  const listed: unknown[][] = [];
  for (let offset = 0; ;) {
    const page = await listKeys(gateway, `?offset=${offset}`);
    if (page.length === 0) return listed;
    listed.push(page.map(({ hash }) => hash));
    offset += page.length;
    betweenPages(listed.length);
  }
}

function existing(): readonly string[] {
  return gateway.books.keys().map(({ hash }) => hash);
}

function spend(): number {
  return gateway.spend({ key: "billing", model: "acme/one", micros: 1e6 }).status;
}

async function usageByKey() {
  return (await ask(gateway, { metrics: ["credits_usage"], dimensions: ["api_key_id"] })).data;
}

async function byHash() {
  const value = [gateway.world.key("billing").hash];
  const filters = [{ field: "api_key_id", operator: "in", value }];
  return ask(gateway, { metrics: ["credits_usage"], filters });
}
