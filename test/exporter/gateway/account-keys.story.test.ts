import { describe, expect, test } from "vitest";
import type { AccountKeys } from "../../../exporter/gateway/account.ts";
import { fetchAccountKeys } from "../../../exporter/gateway/account-keys.ts";
import type { Send } from "../../../exporter/gateway/calls.ts";
import type { GatewayOptions } from "../../gateway/gateway.ts";
import { createClient, PLANTED } from "../../support/gateway-client.ts";
import { secretSource } from "../../support/test-config.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { fetchCapabilities } from "../../../exporter/gateway/gateway.ts";
import type { Switches } from "../../gateway/switches.ts";
import { Secret } from "../../../exporter/secrets/secret.ts";

const A = "a".repeat(64);
const B = "b".repeat(64);
const C = "c".repeat(64);

/** A simulated gateway with keys that were created one second apart, and the function that lists them. */
/** A service that is known not to leave expired keys out. */
const OLD = { omitsExpired: true };

async function startWith(count: number, options: GatewayOptions = {}) {
  const gateway = await startSimulatedGateway(options);
  const add = (name: string) => {
    gateway.clock.advance(1000);
    gateway.addKey({ name });
  };
  for (let index = 0; index < count; index++) add(`key-${index}`);
  const { send, throughRetries } = createClient({ baseUrl: gateway.url });
  const list = (workspace?: string) =>
    throughRetries(
      fetchAccountKeys(() => send, "default", workspace, secretSource(gateway.managementToken), OLD),
    );
  return { gateway, add, list };
}

/** Lists the keys of a server that takes one step for each request. */
async function listFrom(...steps: readonly Step[]) {
  const server = await startScriptedServer(...steps);
  const { send, throughRetries } = createClient({ baseUrl: server.url });
  const newSend = (): Send => send;
  return {
    server,
    listed: throughRetries(fetchAccountKeys(newSend, "default", undefined, secretSource(PLANTED), OLD)),
  };
}

/** Lists `count` rows from pages of `size` rows. */
function listFromRows(
  count: number,
  size: number,
  rowAt: (index: number) => unknown,
  offsets: number[],
): Promise<AccountKeys> {
  const send: Send = ({ path }) => {
    const offset = Number(new URL(path, "http://gateway").searchParams.get("offset"));
    offsets.push(offset);
    const length = Math.min(size, count - offset);
    return Promise.resolve({ data: Array.from({ length }, (_, index) => rowAt(offset + index)) });
  };
  return fetchAccountKeys(() => send, "default", undefined, secretSource(PLANTED), OLD);
}

const hashOf = (index: number): string => index.toString(16).padStart(64, "0");

const page = (...rows: readonly unknown[]) => answering(200, { data: rows });
const row = (hash: string, more: object = {}) => ({ hash, name: "k", usage: 1, ...more });

describe("fetchAccountKeys: pages", () => {
  test.each([0, 1, 2, 3, 4, 6, 7, 250])("%i keys are listed once each", async (count) => {
    const { gateway, list } = await startWith(count, { switches: { keysPerPage: count > 100 ? 100 : 3 } });
    const { keys, ...rest } = await list();
    expect(keys.map(({ hash }) => hash).toSorted()).toEqual(
      gateway.books
        .keys()
        .map(({ hash }) => hash)
        .toSorted(),
    );
    expect(rest).toEqual({ unreadableRows: 0, rowProblem: undefined, moved: false, failure: undefined });
  });

  test.each([
    [3, 2],
    [250, 4],
  ])("%i keys take %i requests, with disabled ones included", async (count, requests) => {
    const { gateway, list } = await startWith(count);
    await list();
    const paths = gateway.log.of("keys").map(({ path }) => path);
    expect(paths).toHaveLength(requests);
    expect(paths[0]).toBe("/keys?include_disabled=true&offset=0");
  });

  test.each(["newest_first", "oldest_first"] as const)(
    "a key that is created between two pages hides no other: %s",
    async (keysOrder) => {
      const { gateway, add, list } = await startWith(7, { switches: { keysPerPage: 3, keysOrder } });
      const before = gateway.books.keys().map(({ hash }) => hash);
      let pages = 0;
      gateway.hooks.afterQuery = () => {
        pages += 1;
        if (pages === 1) add("late");
      };
      const { keys, moved } = await list();
      const listed = keys.map(({ hash }) => hash);
      expect(before.filter((hash) => !listed.includes(hash))).toEqual([]);
      expect(moved).toBe(keysOrder === "newest_first");
    },
  );

  test("a service that ignores the offset ends, as one that moves", async () => {
    const all = page(row(A), row(B));
    const { listed, server } = await listFrom(all, all, all);
    expect(await listed).toMatchObject({ keys: [{ hash: A }, { hash: B }], moved: true });
    expect(server.requests).toHaveLength(2);
  });

  test.each([[7, 3]])(
    "of %i keys, a page that fails leaves those of the pages before: %i",
    async (count, left) => {
      const { gateway, list } = await startWith(count, { switches: { keysPerPage: 3 } });
      gateway.faults.add({ kind: "status", status: 403, endpoint: "keys", skip: 1 });
      const { keys, failure } = await list();
      expect(keys).toHaveLength(left);
      expect(failure).toMatchObject({
        kind: "forbidden",
        message: expect.stringContaining("list the keys of"),
      });
    },
  );

  test.each([
    ["keys", (index: number): unknown => row(hashOf(index))],
    ["rows that are no keys", (): unknown => 0],
  ])("more than 25,000 %s are a failure, and the first ones are listed", async (_, rowAt) => {
    const { keys, unreadableRows, failure } = await listFromRows(1_000_000, 2000, rowAt, []);
    expect(failure?.message).toBe('Cannot list the keys of "default": there are more than 25000 keys');
    expect(keys.length + unreadableRows).toBeLessThan(26_100);
  });
});

describe("fetchAccountKeys: rows", () => {
  test("have limits, usage and state as a poll shows them", async () => {
    const workspace = "0df9e665-d932-5740-b2c7-b52af166bc11";
    const { gateway, list } = await startWith(0, { switches: { keyTimes: "offset" } });
    gateway.addKey({
      name: "billing",
      title: "Billing (prod)",
      limitMicros: 5e6,
      limitReset: "weekly",
      disabled: true,
      expiresAt: Date.UTC(2027, 0, 1),
      workspace,
    });
    gateway.spend({ key: "billing", model: "acme/one", micros: 1_100_000, byokMicros: 200_000, force: true });
    expect((await list()).keys).toEqual([]);
    expect((await list(workspace)).keys).toEqual([
      {
        hash: gateway.world.key("billing").hash,
        name: "Billing (prod)",
        disabled: true,
        createdAtMs: gateway.clock.now(),
        neverExpires: false,
        information: {
          label: expect.any(String),
          limitCredits: 5,
          limitReset: "weekly",
          remainingCredits: 3.9,
          byokInLimit: false,
          usage: { total: 1.1, day: 1.1, week: 1.1, month: 1.1 },
          byokUsage: { total: 0.2, day: 0.2, week: 0.2, month: 0.2 },
          freeTier: undefined,
          expiresAtMs: Date.UTC(2027, 0, 1),
          freeRequests: { limit: undefined, used: undefined, remaining: undefined },
        },
      },
    ]);
  });

  test.each<[string, object, string]>([
    ["no hash", { hash: undefined }, "hash: "],
    ["a limit that is no number", { limit: "ten" }, "limit: "],
    ["neither usage nor limit", { usage: undefined }, "neither usage nor limit"],
  ])("with %s is unreadable and hurts no other", async (_name, change, problem) => {
    const rows = page(row(A), row(B, change), row(C));
    const { listed } = await listFrom(rows, page(row(C)));
    const { keys, unreadableRows, rowProblem, moved } = await listed;
    expect(keys.map(({ hash }) => hash)).toEqual([A, C]);
    expect([unreadableRows, moved]).toEqual([1, false]);
    expect(rowProblem).toContain(problem);
    expect(rowProblem).not.toContain("ten");
  });

  test("fields that are missing, null or beyond our knowledge are unknown", async () => {
    const bare = { hash: A, usage: "1.5", created_at: "yesterday", name: null, limit: null };
    const { listed } = await listFrom(page(bare), page(bare));
    expect((await listed).keys).toMatchObject([
      {
        name: "",
        disabled: undefined,
        createdAtMs: undefined,
        information: { usage: { total: 1.5, day: undefined }, limitCredits: null },
      },
    ]);
  });
});

async function start(switches: Partial<Switches> = {}) {
  const gateway = await startSimulatedGateway({ switches });
  const { send } = createClient({ baseUrl: gateway.url });
  const ordinary = secretSource(gateway.addKey({ name: "billing" }));
  return { gateway, send, ordinary, management: secretSource(gateway.managementToken) };
}

async function answered(body: object) {
  const server = await startScriptedServer(answering(200, body));
  return createClient({ baseUrl: server.url }).send;
}

describe("fetchCapabilities", () => {
  test("reads the names of metrics, dimensions and granularities", async () => {
    const { send, management } = await start({ missingMetrics: ["byok_fees"] });
    const capabilities = await fetchCapabilities(send, management);
    expect(capabilities?.metrics).toContain("credits_usage");
    expect(capabilities?.metrics).toContain("p90_latency");
    expect(capabilities?.metrics).not.toContain("byok_fees");
    expect(capabilities?.dimensions).toContain("api_key_id");
    expect(capabilities?.granularities).toEqual(["minute", "hour", "day", "week", "month"]);
  });

  test("is undefined without the operation", async () => {
    const { send, management } = await start({ missingOperations: ["meta"] });
    expect(await fetchCapabilities(send, management)).toBeUndefined();
  });

  test("fails for an ordinary key", async () => {
    const { send, ordinary } = await start();
    await expect(fetchCapabilities(send, ordinary)).rejects.toMatchObject({ kind: "forbidden" });
  });

  test.each([{ data: {} }, { data: { metrics: [] } }, { data: { metrics: {}, dimensions: [] } }])(
    "refuses %j",
    async (body) => {
      const asked = fetchCapabilities(await answered(body), secretSource(PLANTED));
      await expect(asked).rejects.toMatchObject({ kind: "bad_response" });
    },
  );
});

async function startForCredits(switches: Partial<Switches> = {}) {
  const gateway = await startSimulatedGateway({ switches });
  const { clientFor } = createClient({ baseUrl: gateway.url });
  gateway.moveCredits({ kind: "purchase", micros: 100_500_000 });
  gateway.addKey({ name: "payer" });
  gateway.spend({ key: "payer", model: "acme/one", micros: 25_750_000, byokMicros: 9e6 });
  const credits = (secret: ReturnType<typeof secretSource>) =>
    clientFor({ endpoint: "account", name: "credits" }).credits(secret);
  const requests = () => (["keys", "credits"] as const).map((endpoint) => gateway.log.of(endpoint).length);
  const ordinary = secretSource(gateway.addKey({ name: "billing" }));
  return { gateway, credits, requests, ordinary, management: secretSource(gateway.managementToken) };
}

const CREDITS = { boughtCredits: 100.5, usedCredits: 25.75 };

describe("credits: two zeros", () => {
  test("mean nothing from a secret that may not list keys", async () => {
    const { gateway, credits, requests, ordinary, management } = await startForCredits();
    expect(await credits(management)).toEqual(CREDITS);
    expect(await credits(ordinary)).toBe("unproved");
    expect(requests()).toEqual([1, 2]);
    const texts = [(await ordinary.read()).reveal(), gateway.managementToken];
    const file = { origin: "file", read: async () => new Secret(texts.shift() ?? "") };
    expect(await credits(file)).toBe("unproved");
  });

  test("are those of a new account from one that may", async () => {
    const { url, managementToken } = await startSimulatedGateway();
    const { clientFor } = createClient({ baseUrl: url });
    const client = clientFor({ endpoint: "account", name: "credits" });
    expect(await client.credits(secretSource(managementToken))).toEqual({ boughtCredits: 0, usedCredits: 0 });
  });

  test.each(["keys", "credits"] as const)("mean nothing to a service without %s", async (operation) => {
    const { credits, ordinary } = await startForCredits({ missingOperations: [operation] });
    expect(await credits(ordinary)).toBe("unsupported");
  });

  test("mean nothing after any other failure", async () => {
    const { gateway, credits, ordinary } = await startForCredits();
    await expect(credits(secretSource("sk-sim-nobody"))).rejects.toMatchObject({ status: 401 });
    gateway.faults.add({ kind: "status", status: 400, endpoint: "keys" });
    await expect(credits(ordinary)).rejects.toMatchObject({ kind: "bad_request" });
  });
});

describe("credits: the answer", () => {
  test.each([
    ["no amount bought", { data: { total_usage: 1 } }],
    ["null, which is not 0", { data: { total_credits: 5, total_usage: null } }],
  ])("is refused with %s", async (_name, body) => {
    await expect(askedList(body)).rejects.toMatchObject({ kind: "bad_response" });
  });
});

async function askedList(body: object) {
  const server = await startScriptedServer(answering(200, body));
  const { clientFor } = createClient({ baseUrl: server.url });
  return clientFor({ endpoint: "account", name: "credits" }).credits(secretSource(PLANTED));
}
