import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClock } from "../gateway/clock.ts";
import { createGateway } from "../gateway/gateway.ts";
import { createSwitches } from "../gateway/switches.ts";
import { defaultManner } from "../gateway/transcription/manner.ts";
import { sha256Of } from "../gateway/transcription/recordings.ts";
import { getKey, keyData, transcribe } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:00Z");
const gateway = createGateway({ now: () => noon, keys: 2 });
beforeAll(() => gateway.start());
afterAll(() => gateway.stop());

describe("the clock", () => {
  test("follows its source, jumps, and changes its speed", () => {
    let source = 1000;
    const clock = createClock(() => source);
    source = 1500;
    expect(clock.now()).toBe(1500);
    clock.set(10_000);
    source += 100;
    expect(clock.now()).toBe(10_100);
    clock.speed = 60;
    source += 1000;
    expect(clock.now()).toBe(70_100);
    clock.advance(-100);
    clock.speed = 0;
    source += 9999;
    expect([clock.now(), clock.speed]).toEqual([70_000, 0]);
  });
});

describe("control over HTTP", () => {
  test("reads and sets the clock", async () => {
    const iso = "2026-11-30T23:59:00.000Z";
    expect(await control("POST", "clock", { set: iso, speed: 0 })).toEqual([
      200,
      { now: Date.parse(iso), iso, speed: 0 },
    ]);
    expect(await control("POST", "clock", { advance_ms: 60_000 })).toMatchObject([
      200,
      { iso: "2026-12-01T00:00:00.000Z" },
    ]);
    expect(gateway.clock.now()).toBe(Date.parse("2026-12-01T00:00:00Z"));
    gateway.clock.set(noon);
    expect(await control("GET", "clock")).toMatchObject([200, { now: noon }]);
  });

  test("adds keys, changes limits and spends", async () => {
    const [status, made] = await control("POST", "keys", {
      name: "made",
      limitMicros: 3e6,
      limitReset: "daily",
    });
    const [, keys] = await control("GET", "keys");
    expect([status, made]).toEqual([200, { token: gateway.tokens.get("made") }]);
    expect(keys).toEqual({ management: gateway.managementToken, keys: Object.fromEntries(gateway.tokens) });
    const spend = { key: "made", model: "acme/one", app: "Chat", micros: 3e6, requests: 2 };
    expect(await control("POST", "spend", spend)).toEqual([200, { accepted: true, status: 200 }]);
    expect(await control("POST", "spend", spend)).toEqual([200, { accepted: false, status: 402 }]);
    expect(await control("POST", "limit", { key: "made", micros: null })).toEqual([200, {}]);
    expect(await keyData(gateway, "made")).toMatchObject({ limit: null, usage: 3 });
    await control("POST", "disable", { key: "made" });
    expect((await getKey(gateway, "made")).status).toBe(401);
    await control("POST", "enable", { key: "made" });
    expect((await getKey(gateway, "made")).status).toBe(200);
  });

  test("changes the life of a key and the balance", async () => {
    await control("POST", "keys", { name: "alive", workspace: null, creator: "user_ada" });
    const { world } = gateway;
    const changes: [string, Record<string, unknown>, Record<string, unknown>][] = [
      ["rename", { title: "Payments" }, { title: "Payments" }],
      ["limit", { micros: 5, reset: "weekly" }, { limitMicros: 5, limitReset: "weekly" }],
      ["limit", { micros: null, reset: null }, { limitMicros: null, limitReset: null }],
      ["expiry", { at: noon }, { expiresAt: noon }],
      ["expiry", { at: null }, { expiresAt: null }],
      ["guardrail", { micros: 7, reset: "daily" }, { guardrail: { micros: 7, reset: "daily" } }],
      ["guardrail", { micros: null }, { guardrail: null }],
      ["in_flight", { reason: "weight_exceeds_budget" }, { inFlightReason: "weight_exceeds_budget" }],
      ["in_flight", { reason: null }, { inFlightReason: null }],
      ["remove", {}, { deletedAt: gateway.clock.now() }],
    ];
    for (const [name, body, state] of changes) {
      expect(await control("POST", name, { key: "alive", ...body })).toEqual([200, {}]);
      expect(world.key("alive")).toMatchObject(state);
    }
    expect(world.key("alive")).toMatchObject({ creator: "user_ada", updatedAt: gateway.clock.now() });
    const purchase = { kind: "purchase", micros: 9_000_000, at: noon - 1 };
    expect(await control("POST", "credits", purchase)).toEqual([200, {}]);
    expect(await control("GET", `books/balance?at=${noon}`)).toMatchObject([
      200,
      { movements: expect.arrayContaining([purchase]) },
    ]);
  });

  test("reads the books of the account", async () => {
    const [, usage] = await control("GET", "books/usage?by=model,api_key_id&start=0");
    const period = { start: 0, end: Number.POSITIVE_INFINITY };
    expect(usage).toEqual(JSON.parse(JSON.stringify(gateway.books.usage(period, ["model", "api_key_id"]))));
    const [, unwatched] = await control("GET", "books/unwatched?watched=billing&watched=search");
    expect(unwatched).toEqual(gateway.books.unwatched(period, ["billing", "search"]));
    const [, keys] = await control("GET", "books/keys");
    expect(keys).toMatchObject([{ name: "billing" }, { name: "search" }, { name: "made" }]);
    expect((await control("GET", "books/usage?by=colour"))[0]).toBe(400);
  });

  test("reads the books", async () => {
    const [, key] = await control("GET", "books/key?name=made");
    expect(key).toMatchObject({ micros: { usage: { day: 3e6 } }, credits: { usage: { total: 3 } } });
    const period = "start=2026-11-18T00:00:00Z&end=2026-11-19T00:00:00Z";
    const [, analytics] = await control("GET", `books/analytics?${period}`);
    const expected = gateway.books.analytics({ start: noon - (noon % 86_400_000), end: noon + 43_200_000 });
    expect(analytics).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(await control("GET", "books/analytics?start=0&end=1")).toMatchObject([200, { pairs: [] }]);
  });

  test("adds, lists and clears faults", async () => {
    const fault = { kind: "status", status: 429, key: "billing", times: 3, headers: { "Retry-After": "9" } };
    const [, added] = await control("POST", "faults", fault);
    expect(await getKey(gateway, "billing")).toMatchObject({ status: 429 });
    const [, list] = await control("GET", "faults");
    expect(list).toEqual([{ id: 1, fault, hits: 1 }]);
    expect(added).toEqual({ id: 1 });
    await control("DELETE", "faults?id=1");
    expect(await getKey(gateway, "billing")).toMatchObject({ status: 200 });
  });

  test.each([
    { kind: "slow", delayMs: 5 },
    {
      kind: "status",
      status: 529,
      message: "m",
      body: "b",
      origin: "provider",
      retryAfterSeconds: 1,
      metadata: { a: 1 },
    },
    { kind: "drip", everyMs: 5, bytesAtOnce: 2, endpoint: "analytics", parameter: "by=model" },
    { kind: "cut", afterBytes: 3 },
    { kind: "reset" },
    { kind: "garbage", form: "html" },
    { kind: "body", body: "x", status: 200, contentType: "text/x" },
    { kind: "fields", set: { "data.limit": "x" }, remove: ["data.usage"] },
    { kind: "redirect", location: "/", status: 301 },
    { kind: "oversize", bytes: 9, delayMs: 1 },
  ])("keeps the fields of fault $kind", async (fault) => {
    expect(await control("POST", "faults", fault)).toEqual([200, { id: expect.any(Number) }]);
    expect(gateway.faults.list().at(-1)?.fault).toEqual(fault);
    await control("DELETE", "faults");
    expect(gateway.faults.list()).toEqual([]);
  });

  test("sets all given switches, or none", async () => {
    const all = createSwitches({
      lagMs: 5,
      missingKeyFields: ["usage"],
      exhaustedKeyStatus: 402,
      reachDays: 31,
      missingOperations: ["meta", "credits"],
      missingMetrics: ["byok_fees"],
      missingDimensions: ["streamed"],
      rangeLimits: true,
      mostFilterValues: 100,
      placeholders: true,
      byokFees: true,
      keysPerPage: 5,
      keysOrder: "oldest_first",
      keyTimes: "offset",
      ordinaryCredits: "forbidden",
      refusalSources: true,
    });
    expect(await control("POST", "switches", all)).toEqual([200, all]);
    expect((await control("POST", "switches", { lagMs: 6, errorBody: "poem" }))[0]).toBe(400);
    expect(gateway.switches).toEqual(all);
    expect(await control("POST", "switches", createSwitches())).toEqual([200, createSwitches()]);
  });

  test("sets manners and recordings, and reads the book of transcriptions", async () => {
    const every = { ...defaultManner, confidence: null, micros: 40 };
    const one = { latencyMs: 1, usage: false, text: null };
    await control("POST", "manners", { confidence: null, micros: 40 });
    expect(await control("POST", "manners", { model: "acme/ears", ...one })).toEqual([
      200,
      { every, models: { "acme/ears": one } },
    ]);
    expect(await control("GET", "manners")).toEqual([200, { every, models: { "acme/ears": one } }]);
    const spoken = { text: "Two words", seconds: 1.5, language: "de" };
    const sha256 = sha256Of(Buffer.from("audio"));
    expect(await control("POST", "recordings", { data: "YXVkaW8=", ...spoken })).toEqual([
      200,
      { sha256, ...spoken },
    ]);
    const input_audio = { data: "YXVkaW8=", format: "wav" };
    const answer = await transcribe(gateway, "billing", { model: "acme/ears", input_audio });
    expect(JSON.parse(answer.text)).toEqual({ text: "Two words" });
    expect(await control("GET", `books/transcriptions?at=${noon}`)).toMatchObject([
      200,
      [{ at: noon, key: "billing", sha256, micros: 40, cost: 0.00004, seconds: 1.5 }],
    ]);
    expect(await control("GET", `books/transcriptions?at=${noon - 1}`)).toEqual([200, []]);
    expect(await control("POST", "recordings", { sha256, text: "Three words now" })).toMatchObject([
      200,
      { sha256, text: "Three words now", language: "en" },
    ]);
    expect(await control("DELETE", "manners")).toEqual([200, {}]);
    expect(await control("GET", "manners")).toEqual([200, { every: defaultManner, models: {} }]);
  });

  test("reads the log", async () => {
    gateway.log.clear();
    await getKey(gateway, "billing");
    expect(await control("GET", "log")).toMatchObject([
      200,
      { total: 1, lines: [{ key: "billing", status: 200 }] },
    ]);
  });

  test.each<[string, string, unknown, string]>([
    ["POST", "clock", { set: "2026-11-18T12:00:00" }, "set"],
    ["POST", "clock", { sped: 2 }, "sped"],
    ["POST", "spend", { key: "billing", model: "a/b", micros: 1.5 }, "micros"],
    ["POST", "spend", { key: "nobody", model: "a/b" }, "nobody"],
    ["POST", "spend", { key: "billing" }, "model"],
    ["POST", "faults", { kind: "fire" }, "kind"],
    ["POST", "faults", { kind: "reset", status: 500 }, "status"],
    ["POST", "faults", { kind: "status" }, "status"],
    ["POST", "switches", { lag: 5 }, "lag"],
    ["POST", "switches", { exhaustedKeyStatus: 404 }, "exhaustedKeyStatus"],
    ["POST", "keys", { name: "billing" }, "it already exists"],
    ["POST", "keys", { name: "new", limitReset: "hourly" }, "limitReset"],
    ["POST", "limit", { key: "billing", micros: "5" }, "micros"],
    ["POST", "limit", { key: "billing", micros: 5, reset: "hourly" }, "reset"],
    ["POST", "rename", { key: "nobody", title: "x" }, "nobody"],
    ["POST", "rename", { key: "billing" }, "title"],
    ["POST", "expiry", { key: "billing", at: "tomorrow" }, "at"],
    ["POST", "in_flight", { key: "billing", reason: "bad mood" }, "reason"],
    ["POST", "guardrail", { key: "billing", credits: 5 }, "credits"],
    ["POST", "credits", { kind: "gift", micros: 5 }, "kind"],
    ["POST", "credits", { kind: "purchase", micros: -5 }, "purchase"],
    ["POST", "credits", { kind: "expiry", micros: 5 }, "expiry"],
    ["POST", "credits", { kind: "transfer", micros: 0 }, "transfer"],
    ["POST", "credits", { kind: "purchase", micros: 5, account: "nobody" }, "nobody"],
    ["POST", "manners", { latency: 5 }, "latency"],
    ["POST", "manners", { micros: 0.5 }, "micros"],
    ["POST", "manners", { status: 200 }, "status"],
    ["POST", "manners", { usage: "no" }, "usage"],
    ["POST", "recordings", { text: "words" }, "sha256"],
    ["POST", "recordings", { sha256: "abc", text: "words" }, "sha256"],
    ["POST", "recordings", { data: "YQ==" }, "text"],
    ["GET", "books/key", undefined, "name"],
    ["GET", "books/analytics?start=yesterday", undefined, "start"],
  ])("answers %s %s %j with a 400 that names the error", async (method, path, body, text) => {
    const [status, answer] = await control(method, path, body);
    expect([status, answer]).toEqual([400, { error: { code: 400, message: expect.stringContaining(text) } }]);
  });

  test("answers an unknown control with 404", async () => {
    expect((await control("GET", "weather"))[0]).toBe(404);
  });
});

async function control(method: string, path: string, body?: unknown): Promise<[number, unknown]> {
  const url = new URL(`/_sim/${path}`, gateway.url);
  const response = await fetch(url, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, await response.json()];
}
