import { describe, expect, test } from "vitest";
import { createGateway, type GatewayOptions } from "../gateway/gateway.ts";
import { createLedger, type Entry } from "../gateway/ledger.ts";
import { admittedRequests } from "../gateway/limits.ts";
import { createWorld } from "../gateway/world.ts";
import { DAY, HOUR, windowOf } from "../gateway/windows.ts";

const noon = Date.parse("2026-11-18T12:00:00Z");
const model = "acme/one";

function createWorldAt(start: number, options: GatewayOptions = {}) {
  let now = start;
  const gateway = createGateway({ ...options, now: () => now });
  return { gateway, moveTo: (at: number) => void (now = at) };
}

describe("explicit spending", () => {
  test("a key without credits is refused until its reset", () => {
    const { gateway, moveTo } = createWorldAt(noon);
    gateway.addKey({ name: "billing", limitMicros: 10e6, limitReset: "daily" });
    const spend = (micros: number) => gateway.spend({ key: "billing", model, micros }).status;
    expect([spend(9e6), spend(2e6), spend(1)]).toEqual([200, 200, 402]);
    expect(gateway.books.key("billing").micros).toMatchObject({ remaining: -1e6, usage: { total: 11e6 } });
    moveTo(noon + 12 * HOUR - 1);
    expect(spend(1)).toBe(402);
    moveTo(noon + 12 * HOUR);
    expect(spend(1)).toBe(200);
    expect(gateway.books.key("billing").micros).toMatchObject({ remaining: 10e6 - 1, usage: { day: 1 } });
  });

  test("a key is refused at exactly 0 credits, and admitted at one micro-credit", () => {
    const { gateway } = createWorldAt(noon);
    gateway.addKey({ name: "exact", limitMicros: 10, limitReset: null });
    const spend = (micros: number) => gateway.spend({ key: "exact", model, micros }).accepted;
    expect([spend(9), spend(1), spend(1), spend(0)]).toEqual([true, true, false, false]);
  });

  test("a raised limit admits the key again, and limit 0 never admits it", () => {
    const { gateway } = createWorldAt(noon);
    gateway.addKey({ name: "raised", limitMicros: 0, limitReset: "monthly" });
    const spend = () => gateway.spend({ key: "raised", model, micros: 5 }).status;
    expect(spend()).toBe(402);
    gateway.setLimit("raised", 5);
    expect([spend(), spend()]).toEqual([200, 402]);
    gateway.setLimit("raised", null);
    expect(spend()).toBe(200);
  });

  test("refunds are always posted and restore credits, and force posts any entry", () => {
    const { gateway } = createWorldAt(noon);
    gateway.addKey({ name: "refund", limitMicros: 10, limitReset: "daily" });
    gateway.spend({ key: "refund", model, micros: 10 });
    expect(gateway.spend({ key: "refund", model, micros: -4 })).toEqual({ accepted: true, status: 200 });
    expect(gateway.books.key("refund").micros.remaining).toBe(4);
    gateway.spend({ key: "refund", model, micros: 6 });
    expect(gateway.spend({ key: "refund", model, micros: 1, force: true }).accepted).toBe(true);
    expect(gateway.books.key("refund").micros.remaining).toBe(-3);
  });

  test("BYOK usage uses up the limit only of a key that includes it", () => {
    const { gateway } = createWorldAt(noon);
    for (const includeByokInLimit of [true, false]) {
      const key = `byok-${includeByokInLimit}`;
      gateway.addKey({ name: key, limitMicros: 10, limitReset: "daily", includeByokInLimit });
      gateway.spend({ key, model, byokMicros: 10 });
      expect(gateway.spend({ key, model, micros: 1 }).accepted).toBe(!includeByokInLimit);
    }
  });

  test("a late entry counts in the window of its time", () => {
    const { gateway } = createWorldAt(noon);
    gateway.addKey({ name: "late", limitMicros: 10, limitReset: "daily" });
    const spend = (micros: number, at: number, force = false) =>
      gateway.spend({ key: "late", model, micros, at, force }).accepted;
    expect([
      spend(9, noon),
      spend(10, noon - DAY, true),
      spend(1, noon),
      spend(1, noon),
      spend(1, noon - DAY),
    ]).toEqual([true, true, true, false, false]);
  });

  test("a disabled or expired key is refused with 401", () => {
    const { gateway, moveTo } = createWorldAt(noon);
    gateway.addKey({ name: "mortal", expiresAt: noon + 1 });
    expect(gateway.spend({ key: "mortal", model, micros: 1 }).status).toBe(200);
    moveTo(noon + 1);
    expect(gateway.spend({ key: "mortal", model, micros: 1 }).status).toBe(401);
  });

  test("an empty account stops paid models, and an overdrawn account stops all models", () => {
    const { gateway } = createWorldAt(noon);
    gateway.world.addAccount("prepaid", 10);
    for (const name of ["left", "right"]) gateway.addKey({ name, account: "prepaid" });
    const spend = (key: string, micros: number, of = model) =>
      gateway.spend({ key, model: of, micros }).status;
    expect([spend("left", 10), spend("right", 1), spend("right", 0, "acme/one:free")]).toEqual([
      200, 402, 200,
    ]);
    gateway.spend({ key: "left", model, micros: 1, force: true });
    expect(spend("right", 0, "acme/one:free")).toBe(402);
  });

  test("a fraction of a micro-credit is refused with the name of the field", () => {
    const { gateway } = createWorldAt(noon);
    gateway.addKey({ name: "exact" });
    expect(() => gateway.spend({ key: "exact", model, micros: 0.5 })).toThrow(
      '"micros" is 0.5, expected an integer',
    );
  });
});

describe("concurrent requests are admitted one by one while credits are left", () => {
  test.each([
    ["all requests fit", 100, { requests: 5, micros: 25 }, 5],
    ["an exact fit", 10, { requests: 5, micros: 25 }, 2],
    ["the last one overshoots", 11, { requests: 5, micros: 25 }, 3],
    ["no credits left", 0, { requests: 5, micros: 25 }, 0],
    ["BYOK usage that does not count", 1, { requests: 5, micros: 0, byokMicros: 25 }, 5],
    ["no limit", null, { requests: 5, micros: 25 }, 5],
    ["free requests, within the quota", null, { requests: 1000, model: "a/b:free" }, 1000],
    ["free requests, beyond the quota", null, { requests: 1001, model: "a/b:free" }, 1000],
    [
      "free requests of an account that bought little",
      null,
      { requests: 51, model: "a/b:free", bought: 9_999_999 },
      50,
    ],
    [
      "free requests of an account that bought enough",
      null,
      { requests: 51, model: "a/b:free", bought: 10_000_000 },
      51,
    ],
  ])("%s", (_name, limitMicros, wanted, admitted) => {
    const {
      bought = null,
      model: id = model,
      micros = 0,
      byokMicros = 0,
      requests,
    } = { ...optional, ...wanted };
    const world = createWorld();
    world.addAccount("buyer", bought);
    const key = world.addKey({ name: "many", account: "buyer", limitMicros, limitReset: "daily" });
    const call = { key, model: world.addModel(id), at: noon, requests, micros, byokMicros };
    expect(admittedRequests(createLedger(), call)).toBe(admitted);
  });
});

const optional: { bought?: number; model?: string; micros?: number; byokMicros?: number } = {};

describe("seeded traffic", () => {
  const { gateway } = createWorldAt(noon, { keys: 60, historyDays: 40, seed: 7 });
  const entries = [...gateway.books.entries()];
  const keys = [...gateway.world.keys.values()].filter((key) => gateway.tokens.has(key.name));

  test("exceeds no limit by more than the last calls, in any window", () => {
    const spent = new Map<string, number[]>();
    for (const { at, route, micros, byokMicros } of entries) {
      const { key } = route;
      const name = `${key.name} ${windowOf(key.limitReset, at).start}`;
      const counted = micros + (key.includeByokInLimit ? byokMicros : 0);
      spent.set(name, [...(spent.get(name) ?? []), counted]);
    }
    let exhausted = 0;
    for (const [name, micros] of spent) {
      const limit = gateway.world.key(name.split(" ")[0] ?? "").limitMicros;
      const sum = micros.reduce((total, each) => total + each, 0);
      if (limit === null || sum < limit) continue;
      exhausted += 1;
      expect([name, sum - Math.max(...micros) < limit]).toEqual([name, true]);
      // One request to the most expensive model costs at most 0.3 credits.
      expect(sum).toBeLessThan(limit + 300_000);
    }
    expect(exhausted).toBeGreaterThan(10);
    expect(gateway.refusedRequests()).toBeGreaterThan(0);
  });

  test("comes from all keys except disabled ones, expired ones and those with limit 0", () => {
    const idle = keys.filter((key) => !entries.some(({ route }) => route.key === key));
    const names = idle.filter((key) => key.limitMicros === 0 || key.disabled).map(({ name }) => name);
    expect(names).toEqual(["fraud", "onboarding"]);
    const expired = keys.find((key) => key.expiresAt !== null);
    const lastOf = entries.filter(({ route }) => route.key === expired).map(({ at }) => at);
    expect(Math.max(...lastOf)).toBeLessThan(noon - DAY);
    expect(idle.length).toBeLessThan(8);
  });

  test("keeps free requests within the account's daily quota", () => {
    const perDay = new Map<number, number>();
    for (const { at, route, requests } of entries) {
      const day = Math.floor(at / DAY);
      if (route.model.free) perDay.set(day, (perDay.get(day) ?? 0) + requests);
    }
    expect(Math.max(...perDay.values())).toBeLessThanOrEqual(1000);
    expect(Math.max(...perDay.values())).toBeGreaterThan(50);
  });

  test("is higher in office hours than in the early morning", () => {
    const office = requestsBetween(entries, 9, 12);
    const dawn = requestsBetween(entries, 4, 7);
    expect(office).toBeGreaterThan(1.2 * dawn);
  });
});

function requestsBetween(entries: readonly Entry[], startHour: number, endHour: number): number {
  let sum = 0;
  for (const { at, requests } of entries) {
    const date = new Date(at);
    const isWeekday = date.getUTCDay() % 6 !== 0;
    if (isWeekday && date.getUTCHours() >= startHour && date.getUTCHours() < endHour) sum += requests;
  }
  return sum;
}
