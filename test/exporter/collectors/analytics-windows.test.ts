import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import { QUERIES, type Query } from "../../../exporter/collectors/analytics-families.ts";
import { moveTo, ZONES } from "../../support/time-zone.ts";
import { analyticsBody, NOON, pollBodies, targetOf } from "./analytics-exposition.ts";
import { testAnalytics, testConfig } from "../../support/test-config.ts";

const EMPTY = analyticsBody([]);

const iso = (ms: number) => new Date(ms).toISOString().replace("T00:00:00.000Z", "").replace(".000Z", "Z");

/** The ranges asked for by each of the four queries, grouped and in total. */
async function ranges(askedAtMs: number): Promise<Record<Query, readonly string[]>> {
  const asked = QUERIES.map(async (query) => {
    const { requests } = await pollBodies([EMPTY], EMPTY, { query, askedAtMs });
    const [grouped, total] = requests.map(({ timeRange }) => timeRange);
    expect(requests).toHaveLength(2);
    expect(total).toEqual(grouped);
    return [query, grouped && [iso(grouped.startMs), iso(grouped.endMs)]];
  });
  return Object.fromEntries(await Promise.all(asked));
}

const INSTANTS: readonly { at: string; wanted: Record<Query, readonly [string, string]> }[] = [
  {
    at: "2026-11-18T12:34:56.789Z",
    wanted: {
      day: ["2026-11-18", "2026-11-18T12:34:56.789Z"],
      last_day: ["2026-11-17", "2026-11-18"],
      month: ["2026-11-01", "2026-11-18T12:34:56.789Z"],
      last_month: ["2026-10-01", "2026-11-01"],
    },
  },
  {
    // Exactly midnight: an empty range would be refused.
    at: "2026-11-18T00:00:00Z",
    wanted: {
      day: ["2026-11-18", "2026-11-18T00:00:01Z"],
      last_day: ["2026-11-17", "2026-11-18"],
      month: ["2026-11-01", "2026-11-18"],
      last_month: ["2026-10-01", "2026-11-01"],
    },
  },
  {
    at: "2026-11-18T00:00:00.999Z",
    wanted: {
      day: ["2026-11-18", "2026-11-18T00:00:01Z"],
      last_day: ["2026-11-17", "2026-11-18"],
      month: ["2026-11-01", "2026-11-18T00:00:00.999Z"],
      last_month: ["2026-10-01", "2026-11-01"],
    },
  },
  {
    at: "2026-11-30T23:59:59.999Z",
    wanted: {
      day: ["2026-11-30", "2026-11-30T23:59:59.999Z"],
      last_day: ["2026-11-29", "2026-11-30"],
      month: ["2026-11-01", "2026-11-30T23:59:59.999Z"],
      last_month: ["2026-10-01", "2026-11-01"],
    },
  },
  {
    at: "2026-12-01T00:00:00Z",
    wanted: {
      day: ["2026-12-01", "2026-12-01T00:00:01Z"],
      last_day: ["2026-11-30", "2026-12-01"],
      month: ["2026-12-01", "2026-12-01T00:00:01Z"],
      last_month: ["2026-11-01", "2026-12-01"],
    },
  },
  {
    at: "2027-01-01T01:00:00Z",
    wanted: {
      day: ["2027-01-01", "2027-01-01T01:00:00Z"],
      last_day: ["2026-12-31", "2027-01-01"],
      month: ["2027-01-01", "2027-01-01T01:00:00Z"],
      last_month: ["2026-12-01", "2027-01-01"],
    },
  },
  {
    at: "2028-02-29T06:00:00Z",
    wanted: {
      day: ["2028-02-29", "2028-02-29T06:00:00Z"],
      last_day: ["2028-02-28", "2028-02-29"],
      month: ["2028-02-01", "2028-02-29T06:00:00Z"],
      last_month: ["2028-01-01", "2028-02-01"],
    },
  },
  {
    at: "2028-03-01T06:00:00Z",
    wanted: {
      day: ["2028-03-01", "2028-03-01T06:00:00Z"],
      last_day: ["2028-02-29", "2028-03-01"],
      month: ["2028-03-01", "2028-03-01T06:00:00Z"],
      last_month: ["2028-02-01", "2028-03-01"],
    },
  },
  {
    // The clocks of Los Angeles go forward by an hour on this day.
    at: "2026-03-08T10:30:00Z",
    wanted: {
      day: ["2026-03-08", "2026-03-08T10:30:00Z"],
      last_day: ["2026-03-07", "2026-03-08"],
      month: ["2026-03-01", "2026-03-08T10:30:00Z"],
      last_month: ["2026-02-01", "2026-03-01"],
    },
  },
];

describe("analytics: the time ranges that are asked for", () => {
  test.each(ZONES.flatMap((zone) => INSTANTS.map((instant) => ({ zone, ...instant }))))(
    "at $at on a machine in $zone",
    async ({ zone, at, wanted }) => {
      moveTo(zone);
      expect(await ranges(Date.parse(at))).toEqual(wanted);
    },
  );
});

describe("analytics: which sample belongs to which window", () => {
  test.each<[Query, string]>([
    ["day", "2026-11-18 2026-11-19"],
    // After midnight another day is the last one.
    ["last_day", "2026-11-18 2026-11-19"],
    ["month", "2026-11-01 2026-12-01"],
    ["last_month", "2026-11-01 2026-12-01"],
  ])("all samples of query %s: %s", async (query, wanted) => {
    const rates = { cache_hit_rate: 1, avg_latency: 1, p90_latency: 1 };
    const row = { model: "m", app: "a", total_usage: 1, request_count: 1, ...rates };
    const grouped = analyticsBody([row, { ...row, app: "b" }], { cachedAt: NOON });
    const { samples } = await pollBodies([grouped], analyticsBody([{ total_usage: 2, request_count: 2 }]), {
      query,
      top: 1,
      rates: true,
    });
    const windows = samples.map(({ window }) => window && `${iso(window.startMs)} ${iso(window.endMs)}`);
    expect(windows.length).toBeGreaterThan(13);
    expect(new Set(windows)).toEqual(new Set([wanted]));
  });
});

describe("analytics: what is asked", () => {
  test("first the rows, dearest first and up to the service's cap, then the total", async () => {
    const { requests } = await pollBodies([EMPTY], EMPTY);
    const timeRange = { startMs: Date.UTC(2026, 10, 18), endMs: NOON };
    const metrics = [
      "total_usage",
      "request_count",
      "tokens_total",
      "tokens_prompt",
      "tokens_completion",
      "reasoning_tokens",
    ];
    expect(requests).toEqual([
      {
        metrics,
        dimensions: ["model", "app"],
        timeRange,
        orderBy: { field: "total_usage", direction: "desc" },
        limit: 1000,
      },
      { metrics, timeRange },
    ]);
  });

  test("each query is a target of its own, the last month hourly", () => {
    const targets = analyticsCollector.targets(testConfig({ analytics: testAnalytics() }));
    expect(targets.map(({ id, title, minIntervalMs }) => [id, title, minIntervalMs])).toEqual([
      ["analytics/day", 'analytics query "day"', 0],
      ["analytics/last_day", 'analytics query "last_day"', 0],
      ["analytics/month", 'analytics query "month"', 0],
      ["analytics/last_month", 'analytics query "last_month"', 3_600_000],
    ]);
    expect(targetOf().constants).toEqual([]);
  });

  test("without a management key nothing", () => {
    expect(analyticsCollector.targets(testConfig())).toEqual([]);
  });
});
