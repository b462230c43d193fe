import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createGateway } from "../gateway/gateway.ts";
import { createSwitches, type Switches } from "../gateway/switches.ts";
import { DAY } from "../gateway/windows.ts";
import { sampleAudio, sampleText } from "./client.ts";
import { createVendorClient, type VendorClient } from "./vendor-client.ts";

/** The vendor's own schemas judge the simulated gateway: an answer that they refuse is an error of the SDK. */
const now = Date.parse("2026-11-18T12:34:56.789Z");
const newest: Partial<Switches> = { extraKeyFields: true, rangeLimits: true };
const gateway = createGateway({ now: () => now, keys: 30, historyDays: 20, switches: newest });
let management: VendorClient;
let ordinary: VendorClient;

beforeAll(async () => {
  // The SDK must not take its server from the environment.
  vi.stubEnv("OPENROUTER_BASE_URL", "http://127.0.0.1:9/api/v1");
  await gateway.start();
  management = createVendorClient(gateway.url, gateway.managementToken);
  ordinary = createVendorClient(gateway.url, gateway.tokens.get("billing") ?? "");
});
afterEach(() => {
  gateway.faults.clear();
  Object.assign(gateway.switches, createSwitches(newest));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await gateway.stop();
});

const timeRange = { start: new Date(now - 7 * DAY), end: new Date(now) };
const recording = { data: sampleAudio.toString("base64"), format: "mp3" };
type Client = VendorClient["sdk"];

/** Every operation that the exporter uses. */
const operations: Readonly<Record<string, (sdk: Client) => Promise<unknown>>> = {
  currentKey: (sdk) => sdk.apiKeys.getCurrentKeyMetadata(),
  keys: (sdk) => sdk.apiKeys.list({ includeDisabled: true, offset: 0 }),
  keyByHash: (sdk) => sdk.apiKeys.get({ hash: gateway.world.key("search").hash }),
  credits: (sdk) => sdk.credits.getCredits(),
  meta: (sdk) => sdk.analytics.getAnalyticsMeta(),
  query: (sdk) => sdk.analytics.queryAnalytics({ requestBody: { metrics: ["credits_usage"], timeRange } }),
};
const names = Object.keys(operations);
const run = (name: string, { sdk }: VendorClient): Promise<unknown> =>
  operations[name]?.(sdk) ?? Promise.reject(new Error(`Unknown operation ${name}`));

describe("the SDK accepts every answer", () => {
  test.each<[string, Partial<Switches>]>([
    ["as it is", {}],
    ["with times that have an offset and microseconds", { keyTimes: "offset" }],
    ["without the expiry, which may be absent", { missingKeyFields: ["expires_at"] }],
    ["with cachedAt", { cachedAt: true }],
    ["with another order and small pages", { keysOrder: "oldest_first", keysPerPage: 3 }],
    ["with an unknown text in limit_reset", { limitResetText: "fortnightly" }],
    ["without the newer metrics", { missingMetrics: ["byok_fees"] }],
  ])("%s", async (_name, switches) => {
    Object.assign(gateway.switches, switches);
    for (const name of names) await expect(run(name, management)).resolves.toBeDefined();
  });

  test("transcriptions, as JSON and as a form", async () => {
    const { stt } = ordinary.sdk;
    const asJson = { sttRequest: { model: "acme/ears", inputAudio: recording } };
    expect(await stt.createTranscription(asJson)).toMatchObject({ text: sampleText });
    const file = new File([sampleAudio], "sample.mp3");
    const asForm = { requestBody: { model: "acme/ears", file } };
    expect(await stt.createTranscriptionMultipart(asForm)).toMatchObject({ text: sampleText });
  });
});

describe("what the SDK reads equals the books", () => {
  test("every key of every page and workspace, once", async () => {
    gateway.switches.keysPerPage = 7;
    const listed = [];
    for (const workspaceId of gateway.world.workspaces.keys()) {
      for (let offset = 0, count = 1; count > 0; offset += count) {
        const { data } = await management.sdk.apiKeys.list({ workspaceId, includeDisabled: true, offset });
        listed.push(...data);
        count = data.length;
      }
    }
    const booked = gateway.books
      .keys()
      .map(({ hash, title, book }) => [
        hash,
        { name: title, usage: book.credits.usage.total, byokUsageMonthly: book.credits.byok.month },
      ]);
    expect(listed).toHaveLength(30);
    expect(
      new Map(
        listed.map(({ hash, name, usage, byokUsageMonthly }) => [hash, { name, usage, byokUsageMonthly }]),
      ),
    ).toEqual(new Map(booked.map(([hash, key]) => [hash, key])));
  });

  test("the current key", async () => {
    const { data } = await ordinary.sdk.apiKeys.getCurrentKeyMetadata();
    const { credits } = gateway.books.key("billing");
    expect(data).toMatchObject({
      usageMonthly: credits.usage.month,
      limitRemaining: credits.remaining,
      isManagementKey: false,
    });
    const own = await management.sdk.apiKeys.getCurrentKeyMetadata();
    expect(own.data).toMatchObject({ isManagementKey: true, isProvisioningKey: true });
  });

  test("analytics, in the text that the SDK drops columns from", async () => {
    const start = Date.parse("2026-11-18T00:00:00Z");
    const [key] = gateway.books.usage({ start, end: now }, ["api_key_id"]);
    const requestBody = {
      metrics: ["credits_usage", "byok_usage"],
      dimensions: ["api_key_id"],
      filters: [{ field: "user", operator: "not_in", value: [], includeUnset: true }],
      orderBy: { field: "credits_usage", direction: "desc" as const },
      timeRange: { start: new Date(start), end: new Date(now) },
    };
    const { data } = await management.sdk.analytics.queryAnalytics({ requestBody });
    expect(data.metadata).toMatchObject({ truncated: false, rowCount: data.data.length });
    const { credits_usage, byok_usage } = key?.numbers ?? {};
    const body: unknown = JSON.parse(management.bodies.at(-1) ?? "");
    const row = { ...key?.labels, credits_usage, byok_usage };
    expect(body).toMatchObject({ data: { data: expect.arrayContaining([row]) } });
  });

  test("the meta names what a query takes", async () => {
    const { data } = await management.sdk.analytics.getAnalyticsMeta();
    const unbounded = ["generation_id", "session_id"];
    for (const { name } of data.dimensions) {
      if (unbounded.includes(name)) continue;
      const requestBody = { metrics: ["request_count"], dimensions: [name], timeRange };
      await expect(management.sdk.analytics.queryAnalytics({ requestBody })).resolves.toBeDefined();
    }
    for (const { name } of data.granularities) {
      const start = new Date(now - 3 * 3_600_000);
      const requestBody = { metrics: data.metrics.map((metric) => metric.name), granularity: name };
      const request = { requestBody: { ...requestBody, timeRange: { start, end: new Date(now) } } };
      await expect(management.sdk.analytics.queryAnalytics(request)).resolves.toBeDefined();
    }
  });
});
