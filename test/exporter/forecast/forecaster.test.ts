import { expect, test } from "vitest";

import { Forecaster, type LimitReading } from "../../../exporter/forecast/forecaster.ts";
import { createLayerForecasts } from "../../../exporter/forecast/layer-forecasts.ts";
import { createSeeding } from "../../../exporter/forecast/seeding.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { windowAt } from "../../../exporter/time/window.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MIDNIGHT = Date.UTC(2026, 10, 18);

/** A key of 100 credits a day that is polled each minute. Its spend is given in credits an hour. */
function dayKey() {
  const forecaster = new Forecaster("key");
  let [atMs, used, usedToday, limit] = [MIDNIGHT - 4 * DAY, 0, 0, 100];
  const reading = (): LimitReading => {
    const nextResetMs = (Math.floor(atMs / DAY) + 1) * DAY;
    return {
      atMs,
      usedCredits: used,
      limitCredits: limit,
      remainingCredits: limit - usedToday,
      nextResetMs,
      window: "day",
      usedToday,
    };
  };
  const key = {
    spend(perHour: number, untilMs: number) {
      for (; atMs < untilMs; atMs += MINUTE) {
        if (atMs % DAY === 0) usedToday = 0;
        const spent = Math.min(perHour / 60, limit - usedToday);
        [used, usedToday] = [used + spent, usedToday + spent];
        forecaster.read(reading());
      }
      return key;
    },
    raise(to: number) {
      limit = to;
      return key;
    },
    at: (ms: number) => forecaster.at(ms),
    outlook: (ms = atMs) => forecaster.at(ms)?.outlook,
  };
  return key;
}

test("a limit of a month that is used up says nothing about the limit of a day that replaces it", () => {
  const forecaster = new Forecaster("key");
  const outlook = (minute: number, limit: Omit<LimitReading, "atMs" | "usedCredits" | "usedToday">) => {
    const atMs = MIDNIGHT + minute * MINUTE;
    const spent = Math.min(minute, -30);
    forecaster.read({ atMs, usedCredits: 7030 + spent, usedToday: 2021 + spent, ...limit });
    return forecaster.at(atMs)?.outlook;
  };
  const monthly = { limitCredits: 7000, nextResetMs: MIDNIGHT, window: "month" } as const;
  for (let minute = -60; minute < -25; minute++)
    outlook(minute, { ...monthly, remainingCredits: Math.max(0, -30 - minute) });
  expect(outlook(-25, { ...monthly, remainingCredits: 0 })).toBe("exhausted");
  const daily = { limitCredits: 2000, nextResetMs: MIDNIGHT, window: "day" } as const;
  expect(outlook(-24, { ...daily, remainingCredits: 9 })).not.toBe("exhausted");
});

test("a key that was out of credits before a restart does not last: what is left is too little for a call", () => {
  const forecaster = new Forecaster("key");
  const outlooks = new Set<string | undefined>();
  for (let atMs = MIDNIGHT - 4 * HOUR; atMs < MIDNIGHT - MINUTE; atMs += MINUTE) {
    const left = { limitCredits: 100, remainingCredits: 0.3, nextResetMs: MIDNIGHT, window: "day" } as const;
    forecaster.read({ atMs, usedCredits: 500, usedToday: 99.7, ...left });
    outlooks.add(forecaster.at(atMs)?.outlook);
  }
  expect(outlooks).toEqual(new Set(["imminent", "exhausted"]));
});

const steady = () => dayKey().spend(3, MIDNIGHT);

test("a runaway is imminent at once, stays so, and ran out when it did", () => {
  const key = steady().spend(3, MIDNIGHT + 10 * HOUR);
  expect(key.at(MIDNIGHT + 10 * HOUR)).toMatchObject({ outlook: "lasts", basis: "usual" });
  key.spend(120, MIDNIGHT + 10 * HOUR + 15 * MINUTE);
  expect(key.outlook()).toBe("imminent");
  key.spend(120, MIDNIGHT + 11 * HOUR);
  const { outlook, exhaustionMs = NaN } = key.at(MIDNIGHT + 11 * HOUR) ?? {};
  expect(outlook).toBe("exhausted");
  expect(exhaustionMs).toBeCloseTo(MIDNIGHT + 10 * HOUR + 35 * MINUTE, -6);
});

/** Credits an hour of an office that closes from 18 to 20. */
function officeRate(hour: number): number {
  if (hour >= 18 && hour < 20) return 4.2 * (20 - hour);
  return hour >= 8 && hour < 18 ? 8.4 : 0.1;
}

test("a busy day that ends earlier than usual is predicted to use up the credits, but wakes no one", () => {
  const key = dayKey();
  const outlooks = new Set<string | undefined>();
  for (let ms = MIDNIGHT - 4 * DAY; ms < MIDNIGHT + DAY; ms += 5 * MINUTE) {
    const hour = (ms % DAY) / HOUR;
    const busy = hour < 18 ? 1.1 : 0.7;
    key.spend((ms < MIDNIGHT ? 1 : busy) * officeRate(hour), ms + 5 * MINUTE);
    if (ms >= MIDNIGHT) outlooks.add(key.outlook(ms));
  }
  expect(outlooks).toEqual(new Set(["lasts", "predicted"]));
});

test.each([
  [
    "a raised limit",
    (key: ReturnType<typeof dayKey>) => key.raise(400).spend(3, MIDNIGHT + 10.5 * HOUR),
    "lasts",
  ],
  ["a reset", (key: ReturnType<typeof dayKey>) => key.spend(3, MIDNIGHT + DAY + 5 * MINUTE), "lasts"],
])("%s ends an announcement at once", (_, happens, outlook) => {
  const key = steady()
    .spend(3, MIDNIGHT + 10 * HOUR)
    .spend(120, MIDNIGHT + 10 * HOUR + 20 * MINUTE);
  expect(key.outlook()).toBe("imminent");
  happens(key);
  expect(key.outlook()).toBe(outlook);
});

test("an announcement lasts while the gateway does not answer, until the reset", () => {
  const key = steady()
    .spend(3, MIDNIGHT + 20 * HOUR)
    .spend(60, MIDNIGHT + 20 * HOUR + 20 * MINUTE);
  const announced = key.at(MIDNIGHT + 20 * HOUR + 20 * MINUTE);
  expect(announced).toMatchObject({ outlook: "imminent", exhaustionMs: expect.any(Number) });
  expect(key.at(MIDNIGHT + DAY - 1)).toEqual(announced);
  expect(key.outlook(MIDNIGHT + DAY)).toBe("unknown");
});

test.each<[string, Partial<LimitReading>, string]>([
  ["no limit", { limitCredits: null, remainingCredits: undefined }, "unlimited"],
  ["an unknown limit", { limitCredits: undefined }, "unknown"],
  ["a limit of 0", { limitCredits: 0, remainingCredits: 0 }, "unknown"],
  ["nothing left", { remainingCredits: 0 }, "exhausted"],
  ["a first reading", {}, "learning"],
  ["an unknown reset", { nextResetMs: undefined }, "learning"],
  ["a disabled key", { isDisabled: true, remainingCredits: 0 }, "unknown"],
])("with %s: %j is %s", (_, changed, outlook) => {
  const forecaster = new Forecaster("key");
  const reading = { usedCredits: 5, limitCredits: 10, remainingCredits: 5, nextResetMs: "never" } as const;
  forecaster.read({ atMs: MIDNIGHT, ...reading, ...changed });
  expect(forecaster.at(MIDNIGHT)).toMatchObject({ outlook, exhaustionMs: undefined });
});

test("the day's mean rate announces an exhaustion at the first reading", () => {
  const forecaster = new Forecaster("key");
  const atMs = MIDNIGHT + 10 * HOUR;
  const reading = {
    limitCredits: 100,
    remainingCredits: 3,
    nextResetMs: MIDNIGHT + DAY,
    window: "day",
  } as const;
  forecaster.read({ atMs, ...reading, usedCredits: 97, usedToday: 97 });
  const { outlook, exhaustionMs = NaN, basis } = forecaster.at(atMs) ?? {};
  expect({ outlook, basis }).toEqual({ outlook: "imminent", basis: "window" });
  expect(exhaustionMs - atMs).toBeCloseTo((3 / 9.7) * HOUR, -3);
});

/** Credits in an hour of the day. */
const office = (hour: number) => (hour >= 8 && hour < 18 ? 9 : 0);

test("the gateway's history shows what is usual, and which hours were without credits", () => {
  const untilMs = MIDNIGHT + 17 * HOUR;
  const hours = Array.from({ length: 7 * 24 }, (_, index) => {
    const startMs = untilMs - (7 * 24 - index) * HOUR;
    return { startMs, credits: office((startMs % DAY) / HOUR) };
  });
  const outlookOf = (limit: number) => {
    const forecaster = new Forecaster("key");
    forecaster.seed(hours, untilMs);
    const reading = { limitCredits: limit, nextResetMs: MIDNIGHT + DAY, window: "day" } as const;
    for (let minute = 0; minute <= 10; minute++) {
      const used = 81 + minute * 0.15;
      forecaster.read({
        atMs: untilMs + minute * MINUTE,
        ...reading,
        usedCredits: used,
        remainingCredits: limit - used,
      });
    }
    return forecaster.at(untilMs + 10 * MINUTE);
  };
  // The office closes in an hour.
  expect(outlookOf(100)).toMatchObject({ outlook: "lasts", basis: "usual" });
  // On each day, the key ran out at six o'clock, so it is not known when the office closes.
  expect(outlookOf(90)).toMatchObject({ outlook: "predicted" });
});

test("createSeeding gives the history of a name to its key, and to none if several keys have it", () => {
  const listed = new Map([
    [
      "default",
      new Map(
        ["Prod", "Prod", "Solo"].map((label, index) => [
          `hash-${index}`,
          { name: `key-${index}`, twins: [], label, owner: { team: "", project: "", costCenter: "" } },
        ]),
      ),
    ],
  ]);
  const names = new Map([
    ["Prod", [1, 2]],
    ["Solo", [0, 3]],
  ]);
  const seeding = createSeeding({ listed: () => listed, isAsked: () => true });
  const seeded: unknown[] = [];
  for (const hash of ["hash-0", "hash-2"]) {
    const forecaster = { seed: (hours: unknown) => void seeded.push([hash, hours]) };
    seeding.add({ kind: "key", hash, forecaster, sinceMs: 0, gapMs: 0, sameUntilMs: 0 });
  }
  const history = { kind: "history", startMs: MIDNIGHT, count: 2, dataMs: MIDNIGHT, names } as const;
  for (const isLeast of [true, false]) {
    seeding.stored(targetId("history", "key-week"), { ...history, isLeast });
    seeding.seed();
    expect(seeded).toEqual(isLeast ? [] : [["hash-2", [{ startMs: MIDNIGHT + HOUR, credits: 3 }]]]);
  }
});

/** An account is asked every five minutes. Its spend is given in credits an hour. */
function accountOf(bought: number, used: number, topUpBelow?: number) {
  const forecaster = new Forecaster("account");
  let atMs = MIDNIGHT;
  const account = {
    /** The outlooks of the next hours; credits are bought when `buys` says so. */
    spend(perHour: number, hours: number, buys = (_left: number) => 0) {
      const outlooks = new Set<string | undefined>();
      for (const untilMs = atMs + hours * HOUR; atMs < untilMs; atMs += 5 * MINUTE) {
        used += perHour / 12;
        bought += buys(bought - used);
        const left = bought - used;
        forecaster.read({
          atMs,
          usedCredits: used,
          limitCredits: bought,
          remainingCredits: left,
          nextResetMs: "never",
          topUpBelow,
        });
        outlooks.add(forecaster.at(atMs)?.outlook);
      }
      return [...outlooks];
    },
  };
  return account;
}

const buys = (left: number) => (left < 2 ? 25 : 0);

test("an account that buys credits by itself is announced only when a purchase is missing for half an hour", () => {
  expect(accountOf(25, 21, 2).spend(2, 40, buys)).toEqual(["learning", "lasts"]);
  const account = accountOf(25, 21.9, 2);
  // It is below 2 from the second half hour on.
  expect(account.spend(2, 1)).toEqual(["learning"]);
  expect(account.spend(2, 1)).toEqual(["imminent"]);
  expect(account.spend(2, 1, buys)).toEqual(["lasts"]);
});

test("spending that goes on below zero for half an hour ends the alert until credits are bought", () => {
  const account = accountOf(10, 9);
  expect(account.spend(1.5, 0.75)).toEqual(["learning", "imminent", "exhausted"]);
  expect(account.spend(1.5, 0.5)).toEqual(["exhausted", "unknown"]);
  expect([...account.spend(1.5, 3), ...account.spend(0, 12)]).toEqual(["unknown", "unknown"]);
  expect(account.spend(0, 1, (left) => (left <= 0 ? 20 : 0))).toEqual(["lasts"]);
});

test("nothing is spent any more below zero: the account stays exhausted", () => {
  const account = accountOf(10, 9);
  account.spend(1.5, 0.75);
  expect(account.spend(0, 6)).toEqual(["exhausted"]);
});

test("what is usual is the most expensive hour and day of the week before yesterday, once four days are known", () => {
  const forecaster = new Forecaster("key");
  let used = 0;
  const spend = (perHour: number, fromMs: number, untilMs: number) => {
    for (let atMs = fromMs; atMs < untilMs; atMs += MINUTE) {
      used += perHour / 60;
      forecaster.read({
        atMs,
        usedCredits: used,
        limitCredits: null,
        remainingCredits: undefined,
        nextResetMs: "never",
      });
    }
    return forecaster.at(untilMs)?.usualBurn;
  };
  spend(2, MIDNIGHT, MIDNIGHT + DAY);
  spend(20, MIDNIGHT + DAY, MIDNIGHT + DAY + HOUR);
  expect(spend(2, MIDNIGHT + DAY + HOUR, MIDNIGHT + 4 * DAY)).toEqual({});
  // Yesterday and today do not count.
  const usual = spend(30, MIDNIGHT + 4 * DAY, MIDNIGHT + 5 * DAY + HOUR);
  expect(usual?.["1h"]).toBeCloseTo(20, 0);
  expect(usual?.["1d"]).toBeCloseTo((20 + 23 * 2) / 24, 1);
  expect(spend(2, MIDNIGHT + 5 * DAY + HOUR, MIDNIGHT + 6 * DAY + HOUR)?.["1h"]).toBeCloseTo(30, 0);
  expect(spend(2, MIDNIGHT + 6 * DAY + HOUR, MIDNIGHT + 14 * DAY + HOUR)?.["1h"]).toBeCloseTo(2, 1);
});

test("what is usual comes from the gateway's history", () => {
  const forecaster = new Forecaster("key");
  const hours = Array.from({ length: 7 * 24 }, (_, hour) => ({
    startMs: MIDNIGHT - 7 * DAY + hour * HOUR,
    credits: hour === 30 ? 9 : 1,
  }));
  forecaster.seed(hours, MIDNIGHT);
  const limit = { limitCredits: null, remainingCredits: undefined, nextResetMs: "never" } as const;
  forecaster.read({ atMs: MIDNIGHT + MINUTE, usedCredits: 5, ...limit });
  expect(forecaster.at(MIDNIGHT + MINUTE)?.usualBurn).toEqual({ "1h": 9, "1d": expect.closeTo(32 / 24, 3) });
});

test("an answer of a budget that still shows the window before a reset is no spend of the new one", () => {
  const layers = createLayerForecasts(HOUR);
  const read = (atMs: number, spentCredits: number) => {
    const window = windowAt("week", atMs);
    const amounts = { limitCredits: 100, spentCredits, remainingCredits: 100 - spentCredits };
    const layer = {
      source: "api_key",
      ...amounts,
      nextResetMs: window.endMs,
      window,
      includesByok: undefined,
    };
    layers.read([layer], targetId("key", "docs"), atMs);
    return layers.at(atMs)[0]?.forecast.outlook;
  };
  const monday = Date.UTC(2026, 10, 23);
  for (let minute = -600; minute < 0; minute++) read(monday + minute * MINUTE, 70 + minute / 100);
  const outlooks = new Set([read(monday + MINUTE, 70)]);
  for (let minute = 2; minute < 30; minute++) outlooks.add(read(monday + minute * MINUTE, minute / 100));
  expect([...outlooks]).toEqual(["lasts"]);
});
