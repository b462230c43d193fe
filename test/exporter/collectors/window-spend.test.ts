import { describe, expect, test } from "vitest";
import { windowSpend } from "../../../exporter/collectors/breakdown.ts";
import type { Total, Usage, UsagePair } from "../../../exporter/gateway/port.ts";
import { amountsOf, NO_USAGE } from "../../support/fake-client.ts";

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

function isComplete(change: Partial<Usage>): boolean | undefined {
  return windowSpend(WINDOW, { ...NO_USAGE, pairs: [pair(1)], ...change }, true).breakdown?.complete;
}

describe("windowSpend: credits and pairs", () => {
  test.each<[string, Total | undefined, number | undefined]>([
    ["an amount", total(1.5), 1.5],
    ["nothing spent", total(0), 0],
    ["no row, so nothing was spent", total(undefined, true), 0],
    ["a row without a value, so the credits are unknown", total(undefined), undefined],
    ["no readable total", undefined, undefined],
  ])("takes the credits from a total with %s", (_, sum, credits) => {
    expect(windowSpend(WINDOW, { ...NO_USAGE, total: sum }, false)).toEqual({ window: WINDOW, credits });
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
      breakdown: {
        complete: true,
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

describe("windowSpend: whether the pairs are complete", () => {
  test.each<[string, Partial<Usage>, boolean]>([
    ["the total is equal", { total: total(1) }, true],
    ["the total is unknown", {}, true],
    ["the total is smaller, because it is older", { total: total(0.5) }, true],
    ["the total is larger by an error of binary fractions", { total: total(1.0000000001) }, true],
    ["the total is larger", { total: total(1.5) }, false],
    ["some rows are cut", { truncated: true }, false],
    ["some rows cannot be read", { unreadableRows: 1 }, false],
  ])("when %s", (_, change, complete) => {
    expect(isComplete(change)).toBe(complete);
  });
});
