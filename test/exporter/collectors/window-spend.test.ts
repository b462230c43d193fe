import { describe, expect, test } from "vitest";
import { keySpend } from "../../../exporter/collectors/key.ts";
import { windowSpend } from "../../../exporter/collectors/window-spend.ts";
import type { AnalyticsAnswer, AnalyticsRow } from "../../../exporter/gateway/analytics.ts";
import { parseKey } from "../../../exporter/gateway/key.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const WINDOW = { startMs: Date.parse("2026-11-18"), endMs: Date.parse("2026-11-19") };

function row(
  credits: number | null,
  model: string | null = "acme/one",
  app: string | null = "Chat",
): AnalyticsRow {
  return { labels: { model, app }, values: { total_usage: credits, request_count: 1 }, timeMs: undefined };
}

function answer(rows: readonly AnalyticsRow[], changes: Partial<AnalyticsAnswer> = {}): AnalyticsAnswer {
  const about = { warnings: [], cachedAtMs: undefined, queryTimeMs: undefined };
  return { rows, unreadableRows: 0, truncated: false, ...about, ...changes };
}

describe("keySpend", () => {
  test("has a window for each of day, week and month, without usage of own keys", () => {
    const body = { data: { usage: 9, usage_daily: 1.5, usage_monthly: 0, byok_usage_daily: 7 } };
    expect(keySpend(parseKey(body, "read the key"), NOW)).toEqual([
      { window: WINDOW, credits: 1.5 },
      { window: { startMs: Date.parse("2026-11-16"), endMs: Date.parse("2026-11-23") }, credits: undefined },
      { window: { startMs: Date.parse("2026-11-01"), endMs: Date.parse("2026-12-01") }, credits: 0 },
    ]);
  });
});

describe("windowSpend", () => {
  test.each<[string, AnalyticsAnswer, number | undefined]>([
    ["its row", answer([row(1.5)]), 1.5],
    ["nothing spent", answer([row(0)]), 0],
    ["no row, which is nothing spent", answer([]), 0],
    ["a row without a value, which tells nothing", answer([row(null)]), undefined],
    ["no row that can be read", answer([], { unreadableRows: 1 }), undefined],
    ["no row of those there are", answer([], { truncated: true }), undefined],
  ])("takes the total from %s", (_, total, credits) => {
    expect(windowSpend(WINDOW, { total })).toEqual({ window: WINDOW, credits });
  });

  test("has every pair as it is shown, twins summed, before any is folded", () => {
    const rows = [row(0.1), row(0.2), row(null, "acme/free"), row(3, null, ""), row(4, "_other", "_other")];
    expect(windowSpend(WINDOW, { grouped: answer(rows) })).toEqual({
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

  test.each([
    ["some are cut", { truncated: true }],
    ["some cannot be read", { unreadableRows: 1 }],
  ])("says when %s", (_, changes) => {
    expect(windowSpend(WINDOW, { grouped: answer([row(1)], changes) }).breakdown?.complete).toBe(false);
  });
});
