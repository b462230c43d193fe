import { describe, expect, test } from "vitest";
import { createGateway, type GatewayOptions } from "../gateway/gateway.ts";
import { HOUR, windowOf } from "../gateway/windows.ts";

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
});

describe("seeded traffic", () => {
  const { gateway } = createWorldAt(noon, { keys: 60, historyDays: 40, seed: 7 });
  const entries = [...gateway.books.entries()];

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
});
