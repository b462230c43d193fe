import { describe, expect, test } from "vitest";
import { windowSpend } from "../../../exporter/collectors/breakdown.ts";
import {
  type Usage,
  type UsageSeries,
  NO_AMOUNTS,
  type Total,
  type UsagePair,
} from "../../../exporter/gateway/port.ts";
import { GatewayError, TOO_LARGE } from "../../../exporter/gateway/errors.ts";
import { WHOLE_ANSWER } from "../../../exporter/gateway/usage.ts";
import type { Window } from "../../../exporter/time/window.ts";
import { createLookBack, FORECAST_PARTS } from "../../../exporter/collectors/history.ts";
import { amountsOf, NO_USAGE } from "../../support/fake-client.ts";
import type { SpendGap } from "../../../exporter/readings/reading.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-18T12:30:00Z");
const WEEK = { startMs: Date.parse("2026-11-11T00:00:00Z"), endMs: NOW };
/** Whole hours of the range, and the present one. */
const HOURS = 7 * 24 + 13;

/** A service that has `rowsOfHour` rows in each hour. If an answer would have more than `most`, it is cut, or fails. */
function service(rowsOfHour: number, most = Infinity, fails = false) {
  const asked: number[] = [];
  const ask = async ({ startMs, endMs }: Window): Promise<UsageSeries> => {
    const hours = Math.ceil((endMs - startMs) / HOUR);
    asked.push(hours);
    const isCut = hours * rowsOfHour > most;
    if (isCut && fails) throw new GatewayError("bad_response", "too large", { code: TOO_LARGE });
    const rows = Array.from({ length: Math.min(most, hours * rowsOfHour) }, (_, index) => {
      return { startMs: startMs + Math.floor(index / rowsOfHour) * HOUR, labels: [], amounts: NO_AMOUNTS };
    });
    return { ...WHOLE_ANSWER, rows, truncated: isCut, creditsSource: "credits" };
  };
  return { asked, ask };
}

test.each([
  { what: "a small account", service: service(12), asked: [6, HOURS - 6], answered: HOURS, later: [HOURS] },
  { what: "a large one", service: service(250), asked: [6, 9, 9, 9], answered: 33, later: [9] },
  { what: "a huge one", service: service(10_000), asked: [6, 1, 1, 1], answered: 9, later: [1] },
  {
    what: "a low cap",
    service: service(40, 1000),
    asked: [6, 62, 31, 16, 19, 19],
    answered: 60,
    later: [19],
  },
])("createLookBack asks for the newest hours first, then for as many as answers hold: $what", async (row) => {
  const lookBack = createLookBack(HOUR, FORECAST_PARTS);
  const { range, rows, truncated } = await lookBack(row.service.ask, WEEK);
  expect({ asked: row.service.asked, truncated }).toEqual({ asked: row.asked, truncated: false });
  expect(Math.ceil((range.endMs - range.startMs) / HOUR)).toBe(row.answered);
  expect(rows[0]?.startMs).toBe(range.startMs);
  await lookBack(row.service.ask, WEEK);
  expect(row.service.asked.slice(row.asked.length)).toEqual(row.later);
});

test("createLookBack asks for half of what was too large, keeps that size, and grows with a smaller account", async () => {
  const large = service(500, 1900, true);
  const lookBack = createLookBack(HOUR);
  expect((await lookBack(large.ask, WEEK)).rows).toHaveLength(1500);

  await expect(lookBack(unreachable, WEEK)).rejects.toThrow("no answer");
  await lookBack(large.ask, WEEK);
  expect(large.asked).toEqual([HOURS, 91, 46, 23, 12, 6, 3, 3]);
  const small = service(100);
  await lookBack(small.ask, WEEK);
  await lookBack(small.ask, WEEK);
  expect(small.asked).toEqual([3, 14]);
});

function unreachable(): Promise<never> {
  return Promise.reject(new GatewayError("timeout", "no answer"));
}

const WINDOW = { startMs: Date.parse("2026-11-18"), endMs: Date.parse("2026-11-19") };

function pair(
  credits: number | undefined,
  model: string | null = "acme/one",
  app: string | null = "Chat",
): UsagePair {
  const rates = { cacheHitRatio: undefined, latencyAvgSeconds: undefined, latencyP90Seconds: undefined };
  return { model, app, amounts: amountsOf({ credits, requests: 1 }), rates };
}

function totalUsage(credits: number | undefined, empty = false): Total {
  return { amounts: amountsOf({ credits }), empty };
}

function gapOf(change: Partial<Usage>): SpendGap | undefined {
  const usage = { ...NO_USAGE, pairs: [pair(1), pair(10, "acme/two")], ...change };
  return windowSpend(WINDOW, usage, true).breakdown?.gap;
}

function requested(credits: number, requests: number): Total {
  return { amounts: amountsOf({ credits, requests }), empty: false };
}

function gap(reason: SpendGap["reason"], credits?: number): SpendGap {
  return { reason, credits };
}

describe("windowSpend: credits and pairs", () => {
  test.each<[string, Total | undefined, number | undefined]>([
    ["an amount", totalUsage(1.5), 1.5],
    ["no row, so nothing was spent", totalUsage(undefined, true), 0],
    ["a row without a value, so the credits are unknown", totalUsage(undefined), undefined],
    ["no readable total", undefined, undefined],
  ])("takes the credits from a total with %s", (_, sum, credits) => {
    expect(windowSpend(WINDOW, { ...NO_USAGE, total: sum }, false)).toEqual({
      window: WINDOW,
      credits,
      gap: undefined,
    });
  });

  test("has every pair with its shown labels, duplicates summed, before any is folded", () => {
    const pairs = [
      pair(0.1),
      pair(0.2),
      pair(undefined, "acme/free"),
      pair(3, null, ""),
      pair(4, "_other", "_other"),
    ];
    expect(windowSpend(WINDOW, { ...NO_USAGE, pairs }, true)).toEqual({
      window: WINDOW,
      credits: undefined,
      gap: undefined,
      breakdown: {
        gap: undefined,
        pairs: [
          { model: "acme/one", app: "Chat", credits: 0.3 },
          { model: "acme/free", app: "Chat", credits: undefined },
          { model: "_none", app: "_none", credits: 3 },
          { model: "_other", app: "_other", credits: 4 },
        ],
      },
    });
  });
});

describe("windowSpend: what the pairs lack", () => {
  test.each<[string, Partial<Usage>, SpendGap | undefined]>([
    ["the total is equal", { total: totalUsage(11) }, undefined],
    ["the total is unknown", {}, undefined],
    ["the total is smaller, because it is older", { total: requested(10.5, 1) }, undefined],
    [
      "the total is smaller with the same requests, so a refund is in no row",
      { total: requested(10.5, 2) },
      gap("exceeding", -0.5),
    ],
    ["the total is larger by a millionth", { total: totalUsage(11.000001) }, gap("unlisted", 0.000001)],
    ["there are no rows, but there is a total", { pairs: [], total: totalUsage(61) }, gap("unlisted", 61)],
    ["some rows are cut, and the total is known", { truncated: true, total: totalUsage(61) }, gap("cut", 50)],
    ["some rows cannot be read", { unreadableRows: 1, total: totalUsage(12) }, gap("unreadable", 1)],
    ["the service warns", { warnings: 1, total: totalUsage(11) }, gap("warned")],
    ["the service warns, and rows are missing", { warnings: 1, total: totalUsage(12) }, gap("unlisted", 1)],
  ])("when %s", (_, change, wanted) => {
    expect(gapOf(change)).toEqual(wanted);
  });
});
