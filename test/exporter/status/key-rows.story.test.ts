import { expect, onTestFinished, test } from "vitest";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import type { KeyReading } from "../../../exporter/readings/reading.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { type TargetId, targetId } from "../../../exporter/readings/target-id.ts";
import { createKeyRows } from "../../../exporter/status/key-rows.ts";
import { createManualClock } from "../../support/clock.ts";
import { type SeriesMap, seriesName } from "../../support/series.ts";
import { startTestApp } from "../../support/test-app.ts";
import { testKey } from "../../support/test-config.ts";
import { rows, textOf } from "./page/page-reader.ts";

/** An exporter with two of the account's keys, one with a mirrored limit, whose polls fail from the start. */
async function start() {
  const app = await startTestApp({
    analytics: true,
    start: "2026-11-18T12:00:00Z",
    prepare: (gateway) => {
      gateway.addKey({ name: "one", title: "One", limitMicros: 100_000_000, limitReset: "monthly" });
      gateway.addKey({ name: "two", title: "Two" });
      gateway.spend({ key: "one", model: "acme/one", micros: 7_500_000 });
      gateway.spend({ key: "two", model: "acme/one", micros: 250_000 });
      gateway.faults.add({ kind: "status", status: 503, endpoint: "key" });
    },
    content: () => ({
      keys: [
        { name: "one", api_key_env: "KEY_0", limit: { credits: 10, window: "day" } },
        { name: "two", api_key_env: "KEY_1" },
      ],
      discovery: {},
      budgets: [{ name: "both", limit: 100, window: "day", keys: "all" }],
    }),
  });
  onTestFinished(() => app.stop());
  const keyOf = async (name: string) => (await app.status()).keys.find(({ key }) => key === name);
  return { ...app, keyOf };
}

const FIGURES = [
  "limit_credits",
  "limit_remaining_credits",
  "usage_day_credits",
  "usage_week_credits",
  "usage_month_credits",
  "usage_credits",
  "limit_next_reset_timestamp_seconds",
] as const;

const figuresOf = (series: SeriesMap, key: string) =>
  Object.fromEntries(
    FIGURES.map((name) => [name, series.get(seriesName(`aigateway_key_${name}`, { key }))] as const).filter(
      ([, value]) => value !== undefined,
    ),
  );

const SPENT = 'aigateway_budget_spent_credits{budget="both"}';
const DAY = 'aigateway_key_usage_day_credits{key="one"}';

test("a key whose polls fail has the figures of the list on the page and in its JSON, as in the metrics", async () => {
  const app = await start();
  const series = await app.seriesWhen((shown) => shown.get(DAY) === 7.5);
  expect(figuresOf(series, "one")).toMatchObject({ limit_credits: 10, limit_remaining_credits: 2.5 });
  expect(figuresOf(series, "two")).toMatchObject({ usage_credits: 0.25 });
  const [one, two] = [await app.keyOf("one"), await app.keyOf("two")];
  const failing = { up: false, failure_reason: "upstream_error", listed: false, listed_figures: true };
  expect(one).toMatchObject({ ...failing, ...figuresOf(series, "one"), limit_source: "mirrored" });
  expect(two).toMatchObject({ ...failing, ...figuresOf(series, "two"), unlimited: true });
  const [row = []] = rows(await app.page()).filter(([name = ""]) => name.startsWith("one"));
  expect(row[0]).toBe("one figures of the account’s list");
  expect(row.slice(2)).toEqual(expect.arrayContaining([expect.stringContaining("7.50 of 10.00"), "2.50"]));
  const text = textOf(await app.page("/keys/one"));
  expect(text).toContain("figures of the account’s list");
  expect(text).not.toContain("is not known.");
});

test("a budget counts the answers of the poll only, and no key is watched twice", async () => {
  const app = await start();
  await app.seriesWhen((shown) => shown.get(DAY) === 7.5);
  expect((await app.series()).get(SPENT)).toBeUndefined();
  app.gateway.faults.clear();
  await app.seriesWhen((shown) => shown.get(SPENT) === 7.75);
  expect(await app.keyOf("one")).toMatchObject({ up: true, listed_figures: false });
  app.gateway.faults.add({ kind: "status", status: 503, endpoint: "key" });
  await app.clock.advance(960_000);
  app.gateway.spend({ key: "one", model: "acme/one", micros: 1_000_000 });
  await app.clock.advance(601_000);
  const series = await app.seriesWhen((shown) => shown.get(DAY) === 8.5);
  expect(series.get(SPENT)).toBe(7.75);
  expect(series.get('aigateway_budget_complete{budget="both"}')).toBe(0);
  expect(series.get(seriesName("aigateway_unwatched_day_credits", {}))).toBe(0);
  expect(await app.keyOf("one")).toMatchObject({ usage_day_credits: 8.5, listed_figures: true });
  expect((await app.status()).keys_total).toBe(2);
});

test("the figures of the list are shown only behind a poll without an answer", async () => {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const readings = createReadings(clock, createPacking(), () => 1e9);
  const answer = (id: TargetId, day: number, timeToLiveMs = 60_000, behind?: TargetId) => {
    const value: KeyReading = {
      kind: "key",
      limitCredits: 10,
      limitReset: "never",
      remainingCredits: 4,
      usage: { total: 1, day, week: 1, month: 1 },
      expiresAtMs: undefined,
      limitWindow: undefined,
    };
    readings.configure(id, id, behind);
    readings.store(id, { value, requestedAtMs: clock.now(), asOfMs: clock.now(), timeToLiveMs }, []);
  };
  const owner = { team: "pay", project: "", costCenter: "" };
  const keys = ["polled", "failing", "unlisted"].map((name) => testKey(name, { owner }));
  answer(targetId("key", "polled"), 1, 30_000);
  const list = (name: string, day: number) =>
    answer(targetId("behind", name), day, 60_000, targetId("key", name));
  for (const name of ["other", "polled", "failing"]) list(name, 2);
  const config = { keys, discovery: undefined, part: undefined };
  const forecasts = { of: () => undefined };
  const all = () => createKeyRows(config, new Map(), { readings, forecasts, nowMs: clock.now() }).all();
  const shown = () => all().map(({ id, day, isFromList }) => [id, day, isFromList]);
  expect(shown()).toEqual([
    ["key/polled", 1, false],
    ["key/failing", 2, true],
    ["key/unlisted", undefined, false],
  ]);
  expect(all()[1]).toMatchObject({ owner, limit: 10, remaining: 4 });
  await clock.advance(45_000);
  expect(shown()[0]).toEqual(["key/polled", 2, true]);
  await clock.advance(30_000);
  expect(shown()[0]).toEqual(["key/polled", undefined, false]);
  // What the list said before the last poll is older than what was shown.
  list("polled", 3);
  await clock.advance(5000);
  answer(targetId("key", "polled"), 4, 10_000);
  await clock.advance(15_000);
  expect(shown()[0]).toEqual(["key/polled", undefined, false]);
  list("polled", 5);
  expect(shown()[0]).toEqual(["key/polled", 5, true]);
});
