import { afterAll, beforeAll, expect, test } from "vitest";
import { dashboards } from "../../dashboards/index.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { systemClock } from "../../exporter/time/clock.ts";
import { DAY_MS, windowAt, windowBefore } from "../../exporter/time/window.ts";
import { readDashboard } from "../dashboards/dashboard-json.ts";
import { createDemoGateway } from "../demo-gateway.ts";
import { demoPast } from "../demo-past.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { readStageConfig, stageConfig } from "../history/stage-config.ts";
import { INSTANCE } from "../history/start-watching.ts";
import { silentLog } from "../support/log.ts";
import type { Prometheus } from "../support/prometheus.ts";
import { createTestApp } from "../support/test-app.ts";
import { describeWithTools } from "../support/tools.ts";
import { CHOICES, filled } from "./dashboard-queries.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const files = dashboards.map(({ json }) => readDashboard(json));

describeWithTools(["prometheus3", "promtool3"], "the past of the demo", (tools) => {
  const stops: (() => Promise<void> | void)[] = [];
  let gateway: Gateway;
  let prometheus: Prometheus;
  let startedAt: number;

  beforeAll(async () => {
    gateway = createDemoGateway();
    await gateway.start();
    stops.push(() => gateway.stop());
    startedAt = Date.now();
    const past = await demoPast({
      gateway,
      fileOf: (schedule) => stageConfig(gateway, schedule),
      prometheus: tools.prometheus3,
      promtool: tools.promtool3,
      say: () => {},
    });
    stops.push(() => past.remove());
    const config = await readStageConfig(stageConfig(gateway, { keys: "5s", analytics: "1m" }));
    const app = createTestApp(config, { clock: systemClock, log: silentLog });
    await app.start();
    stops.push(() => app.stop());
    prometheus = await past.watch(app.url());
    stops.push(() => prometheus.stop());
  }, 900_000);

  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  }, 60_000);

  test.each([2, 20])("shows what each key spent %d days ago", async (days) => {
    const { startMs, endMs } = windowAt("day", startedAt - days * DAY_MS);
    const samples = await prometheus.query(expressionOf("Overview", "Spent per day"), startMs);
    expect(samples).toHaveLength(9);
    const shown = samples.map(({ labels: { key = "" }, value }) => [key, value.toFixed(6)]);
    const books = shown.map(([key = ""]) => [
      key,
      gateway.books.key(key, endMs - 1).credits.usage.day.toFixed(6),
    ]);
    expect(shown).toEqual(books);
    expect(samples.filter(({ value }) => value > 0).length).toBeGreaterThan(4);
  });

  test("shows the first days of last month", async () => {
    // So long ago the gateway is asked by day.
    const at = windowBefore("month", startedAt).startMs + 2 * DAY_MS;
    const expression = expressionOf("Overview", "This month against last month");
    const [sample] = await prometheus.query(expression, at - 1000);
    const sums = [...gateway.tokens.keys()].map(
      (name) => gateway.books.key(name, at - 1).credits.usage.month,
    );
    expect(sample?.value).toBeCloseTo(
      sums.reduce((sum, value) => sum + value, 0),
      6,
    );
    expect(sample?.value).toBeGreaterThan(1);
  });

  test("has neither a gap nor an overlap where the samples of the exporter begin", async () => {
    const end = Math.floor(startedAt / (4 * MINUTE_MS)) * 4 * MINUTE_MS;
    const usage = await prometheus.queryRange('aigateway_key_usage_credits{key="support-bot"}', {
      start: end - 2 * DAY_MS,
      end,
      stepMs: 5 * MINUTE_MS,
    });
    // One series, so the labels of all parts are the same.
    expect(usage.map(({ labels }) => [labels["job"], labels["instance"]])).toEqual([[JOB, INSTANCE]]);
    const points = usage.flatMap((series) => series.points);
    const seam = end - HOUR_MS;
    const imported = points.filter(({ at }) => at <= seam).map(({ value }) => value);
    // Every five minutes, and never less than before.
    expect(imported).toHaveLength(47 * 12 + 1);
    expect(imported).toEqual(imported.toSorted((one, other) => one - other));
    // The amounts of the hour in which they end are spread evenly, so that the first answers may be lower. One may be missing.
    const lived = points.filter(({ at }) => at > seam).map(({ value }) => value);
    expect(lived.length).toBeGreaterThan(6);
    expect(lived.at(-1)).toBeGreaterThanOrEqual(imported.at(-1) ?? Infinity);
    const sources = await prometheus.query(
      "count(aigateway_backfill_interpolation_seconds) or 0 * count(aigateway_exporter_build_info)",
      end,
    );
    expect(sources.map(({ value }) => value)).toEqual([0]);
  });

  test("shows what the rules would have recorded", async () => {
    const samples = await prometheus.query(expressionOf("Key", "Burn per hour"), startedAt - 12 * HOUR_MS);
    expect(samples).toHaveLength(1);
  });
});

/** The first query of a panel, with the reader's choices. `burn6h` is the one that is never zero. */
function expressionOf(dashboard: string, title: string): string {
  const file = files.find((each) => each.title.includes(dashboard));
  const panel = file?.panels.find((each) => each.title === title);
  const target = panel?.targets.find(({ expr }) => expr.includes("burn6h")) ?? panel?.targets[0];
  if (!target) throw new Error(`There is no panel "${title}"`);
  return filled(target.expr, CHOICES);
}
