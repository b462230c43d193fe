import { describe, expect, test } from "vitest";
import type { Total, Usage, UsagePair } from "../../../exporter/gateway/port.ts";
import type { SpendGap } from "../../../exporter/readings/reading.ts";
import { amountsOf, NO_USAGE } from "../../support/fake-client.ts";
import { windowSpend } from "../../../exporter/collectors/breakdown.ts";

const WINDOW = { startMs: Date.parse("2026-11-18"), endMs: Date.parse("2026-11-19") };

function pair(
  credits: number | undefined,
  model: string | null = "acme/one",
  app: string | null = "Chat",
): UsagePair {
  const rates = { cacheHitRatio: undefined, latencyAvgSeconds: undefined, latencyP90Seconds: undefined };
  return { model, app, amounts: amountsOf({ credits, requests: 1 }), rates };
}

function total(credits: number | undefined, empty = false): Total {
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
    ["an amount", total(1.5), 1.5],
    ["no row, so nothing was spent", total(undefined, true), 0],
    ["a row without a value, so the credits are unknown", total(undefined), undefined],
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
    ["the total is equal", { total: total(11) }, undefined],
    ["the total is unknown", {}, undefined],
    ["the total is smaller, because it is older", { total: requested(10.5, 1) }, undefined],
    [
      "the total is smaller with the same requests, so a refund is in no row",
      { total: requested(10.5, 2) },
      gap("exceeding", -0.5),
    ],
    ["the total is larger by a millionth", { total: total(11.000001) }, gap("unlisted", 0.000001)],
    ["there are no rows, but there is a total", { pairs: [], total: total(61) }, gap("unlisted", 61)],
    ["some rows are cut, and the total is known", { truncated: true, total: total(61) }, gap("cut", 50)],
    ["some rows cannot be read", { unreadableRows: 1, total: total(12) }, gap("unreadable", 1)],
    ["the service warns", { warnings: 1, total: total(11) }, gap("warned")],
    ["the service warns, and rows are missing", { warnings: 1, total: total(12) }, gap("unlisted", 1)],
  ])("when %s", (_, change, wanted) => {
    expect(gapOf(change)).toEqual(wanted);
  });
});
