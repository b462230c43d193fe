import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { DAY, MINUTE } from "../gateway/windows.ts";
import { get, getData } from "./client.ts";

const noon = Date.parse("2026-11-18T12:00:00Z");
let now = noon;
let gateway: Gateway;
const credits = () => getData(gateway, "/credits");
const spend = (micros: number) => gateway.spend({ key: "billing", model: "acme/one", micros }).status;

beforeEach(async () => {
  now = noon;
  gateway = createGateway({ now: () => now });
  await gateway.start();
  gateway.addKey({ name: "billing" });
});
afterEach(() => gateway.stop());

describe("GET /credits", () => {
  test("shows what was bought and spent in all; BYOK usage is not spent", async () => {
    gateway.moveCredits({ kind: "purchase", micros: 100_500_000 });
    spend(25_750_000);
    gateway.spend({ key: "billing", model: "acme/one", byokMicros: 5e6 });
    expect(await credits()).toEqual({ total_credits: 100.5, total_usage: 25.75 });
    expect(gateway.books.balance()).toMatchObject({
      credits: { bought: 100.5, spent: 25.75, balance: 74.75 },
      micros: { bought: 100_500_000, spent: 25_750_000, balance: 74_750_000 },
    });
  });

  test("falls with refunds, transfers and expiries at their time, without any spend", async () => {
    gateway.moveCredits({ kind: "purchase", micros: 100e6, at: noon - 365 * DAY });
    gateway.moveCredits({ kind: "expiry", micros: -40e6, at: noon + MINUTE });
    gateway.moveCredits({ kind: "refund", micros: -10e6, at: noon + 2 * MINUTE });
    gateway.moveCredits({ kind: "transfer", micros: -60e6, at: noon + 3 * MINUTE });
    gateway.moveCredits({ kind: "transfer", micros: 5e6, at: noon + 4 * MINUTE });
    const bought = [];
    for (; now <= noon + 4 * MINUTE; now += MINUTE) bought.push(await credits());
    const expected = [100, 60, 50, -10, -5].map((total) => ({ total_credits: total, total_usage: 0 }));
    expect(bought).toEqual(expected);
    expect(gateway.books.balance(noon + MINUTE)).toMatchObject({
      credits: { balance: 60 },
      movements: [{ kind: "purchase" }, { kind: "expiry" }],
    });
  });

  test("counts the spend of deleted keys, and of no other account", async () => {
    gateway.world.addAccount("other");
    gateway.addKey({ name: "theirs", account: "other" });
    gateway.spend({ key: "theirs", model: "acme/one", micros: 7e6 });
    gateway.moveCredits({ kind: "purchase", micros: 1e6, account: "other" });
    spend(2e6);
    gateway.remove("billing");
    expect(await credits()).toEqual({ total_credits: 0, total_usage: 2 });
    expect(gateway.books.balance(now, "other").credits).toEqual({ bought: 1, spent: 7, balance: -6 });
  });

  test("shows an ordinary key two zeros", async () => {
    gateway.moveCredits({ kind: "purchase", micros: 9e6 });
    spend(1e6);
    const answer = await get(gateway, "/credits", gateway.tokens.get("billing") ?? "");
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { data: { total_credits: 0, total_usage: 0 } },
    ]);
    expect((await get(gateway, "/credits", "sk-sim-nobody")).status).toBe(401);
  });
});
