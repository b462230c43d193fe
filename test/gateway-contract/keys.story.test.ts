import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import type { Switches } from "../gateway/switches.ts";
import { DAY, MINUTE } from "../gateway/windows.ts";
import { ask, get, getData, type KeyData, listKeys } from "./client.ts";

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
