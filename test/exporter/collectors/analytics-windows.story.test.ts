import { describe, expect, test } from "vitest";
import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { Query } from "../../../exporter/collectors/analytics-families.ts";
import { QUERY_WINDOWS } from "../../../exporter/config/config.ts";
import { secretSource, testConfig } from "../../support/test-config.ts";
import { createFakeClient, NO_USAGE } from "../../support/fake-client.ts";
import { analyticsBody, jobOf, NOON, runOn } from "./analytics-exposition.ts";
import { moveTo, ZONES } from "../../support/fast-time.ts";

const iso = (ms: number) => new Date(ms).toISOString().replace("T00:00:00.000Z", "").replace(".000Z", "Z");

/** The range of each of the four queries. */
async function ranges(requestedAtMs: number): Promise<Record<Query, readonly string[]>> {
  const asked = QUERY_WINDOWS.map(async (query) => {
    const { client, questions } = createFakeClient({ usage: NO_USAGE });
    await jobOf({ query }).run(client, requestedAtMs);
    expect(questions).toMatchObject([{ pairs: true, total: true, rates: false }]);
    return [query, questions.map(({ range }) => [iso(range.startMs), iso(range.endMs)]).flat()];
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
    at: "2026-12-01T00:00:00Z",
    wanted: {
      day: ["2026-12-01", "2026-12-01T00:00:01Z"],
      last_day: ["2026-11-30", "2026-12-01"],
      month: ["2026-12-01", "2026-12-01T00:00:01Z"],
      last_month: ["2026-11-01", "2026-12-01"],
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
];

describe("analytics: the requested time ranges", () => {
  test.each(ZONES.flatMap((zone) => INSTANTS.map((instant) => ({ zone, ...instant }))))(
    "at $at on a machine in $zone",
    async ({ zone, at, wanted }) => {
      moveTo(zone);
      expect(await ranges(Date.parse(at))).toEqual(wanted);
    },
  );
});

describe("analytics: the window of each sample", () => {
  test.each<[Query, string]>([
    ["day", "2026-11-18 2026-11-19"],
    // After midnight, the last day is another one.
    ["last_day", "2026-11-18 2026-11-19"],
    ["month", "2026-11-01 2026-12-01"],
    ["last_month", "2026-11-01 2026-12-01"],
  ])("all samples of query %s: %s", async (query, wanted) => {
    const rates = { cache_hit_rate: 1, avg_latency: 1, p90_latency: 1 };
    const row = { model: "m", app: "a", total_usage: 1, request_count: 1, ...rates };
    const grouped = analyticsBody([row, { ...row, app: "b" }], { cachedAt: NOON });
    const { samples } = await runOn([grouped], analyticsBody([{ total_usage: 2, request_count: 2 }]), {
      query,
      top: 1,
      rates: true,
    });
    const windows = samples.map(({ window }) => window && `${iso(window.startMs)} ${iso(window.endMs)}`);
    expect(windows.length).toBeGreaterThan(13);
    expect(new Set(windows)).toEqual(new Set([wanted]));
  });
});

describe("analytics: the jobs", () => {
  test("there is one job for each query, that of the last month hourly", () => {
    const analytics = { managementKey: secretSource("sk"), top: 5, rates: false, queries: [] };
    const jobs = analyticsCollector.jobs(testConfig({ analytics }));
    expect(jobs.map(({ id, title, name, minIntervalMs }) => [id, title, name, minIntervalMs])).toEqual([
      ["analytics/day", 'analytics query "day"', "day", 0],
      ["analytics/last_day", 'analytics query "last_day"', "last_day", 0],
      ["analytics/month", 'analytics query "month"', "month", 0],
      ["analytics/last_month", 'analytics query "last_month"', "last_month", 3_600_000],
    ]);
    expect(jobs).toMatchObject(jobs.map(() => ({ endpoint: "analytics", requests: 2, constants: [] })));
  });
});

describe("analytics: the reading", () => {
  const body = analyticsBody(
    [
      { model: "m", app: "a", total_usage: 5, request_count: 1 },
      { model: "m", app: "b", total_usage: 3, request_count: 2 },
    ],
    { cachedAt: NOON - 5000 },
    { truncated: true },
  );
  const total = analyticsBody([{ total_usage: 9, request_count: 4 }], { cachedAt: NOON - 9000 });

  test("has the shown pairs and the end of the data", async () => {
    const { value, computedAtMs } = await runOn([body], total, { top: 1 });
    const day = { startMs: Date.UTC(2026, 10, 18), endMs: Date.UTC(2026, 10, 19) };
    expect(value).toMatchObject({
      kind: "usage",
      window: day,
      range: { startMs: day.startMs, endMs: NOON },
      dataMs: NOON - 9000,
      credits: 9,
      requests: 4,
      pairs: [
        { model: "m", app: "a", credits: 5, requests: 1 },
        { model: "_other", app: "_other", credits: 4, requests: 3 },
      ],
      foldedPairs: 1,
      truncated: true,
      exceedsTotal: false,
    });
    expect(computedAtMs).toBe(NOON - 9000);
  });

  test.each<[Query, string | undefined]>([
    ["day", "2026-11-18 2026-11-19"],
    ["last_day", undefined],
    ["month", "2026-11-01 2026-12-01"],
    ["last_month", "2026-10-01 2026-11-01"],
  ])("of %s has the spend of its window, if budgets need it", async (query, wanted) => {
    const { value } = await runOn([body], total, { query, top: 0 });
    const spend = value?.kind === "usage" ? value.spend : undefined;
    expect(spend && `${iso(spend.window.startMs)} ${iso(spend.window.endMs)}`).toBe(wanted);
    const breakdown = { pairs: [{ credits: 5 }, { credits: 3 }], gap: { reason: "cut", credits: 1 } };
    expect(spend ?? { credits: 9, breakdown }).toMatchObject({ credits: 9, breakdown });
  });

  test("of unreadable rows has a warning", async () => {
    const { warning } = await runOn([analyticsBody([{ model: "m" }, { model: "m", app: "a" }])], total);
    expect(warning).toBe(
      "some rows cannot be read and are part of _other (the first: app: Invalid input: expected a text or a number)",
    );
    expect((await runOn([body], total)).warning).toBeUndefined();
  });
});
