import { describe, expect, test } from "vitest";
import { selfFamilies as families } from "../../../exporter/metrics/self-families.ts";
import { createSelfRegistry, type SelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import type { Format } from "../../../exporter/metrics/render/exposition.ts";
import { createManualClock } from "../../support/clock.ts";
import { parseOpenMetrics, parseTextFormat } from "../../support/openmetrics.ts";

async function textOf(registry: SelfRegistry, format: Format = "text"): Promise<string> {
  const { runtime, own } = await registry.parts(format);
  return Buffer.concat([runtime.text, own]).toString();
}

async function ownLines(registry: SelfRegistry): Promise<readonly string[]> {
  const text = await textOf(registry);
  return text.split("\n").filter((line) => line.startsWith("aigateway_"));
}

describe("createSelfRegistry()", () => {
  test("reads a gauge at each scrape and drops samples that are gone", async () => {
    const registry = createSelfRegistry(createManualClock());
    let lags = new Map([["key", 5]]);
    let isUpToDate: boolean | undefined;
    registry.gauge(families.pollLag, () => [...lags].map(([collector, lag]) => [{ collector }, lag]));
    registry.gauge(families.webUpToDate, () => (isUpToDate === undefined ? [] : [[{}, Number(isUpToDate)]]));
    expect(await ownLines(registry)).toEqual(['aigateway_exporter_poll_lag_seconds{collector="key"} 5']);
    lags = new Map([["analytics", 7]]);
    isUpToDate = false;
    expect(await ownLines(registry)).toEqual([
      'aigateway_exporter_poll_lag_seconds{collector="analytics"} 7',
      "aigateway_exporter_web_config_last_reload_successful 0",
    ]);
    isUpToDate = undefined;
    expect(await ownLines(registry)).toHaveLength(1);
  });

  test("a part that replaces another one continues its counters, and its gauges are read instead", async () => {
    const registry = createSelfRegistry(createManualClock());
    for (const keys of [3, 4]) {
      registry.gauge(families.keys, () => [[{}, keys]]);
      registry.counter(families.refusedAnswers).inc({ collector: "key" });
      registry.histogram(families.pollDuration).observe({ collector: "key" }, 1);
    }
    const lines = await ownLines(registry);
    expect(lines).toContain("aigateway_exporter_keys 4");
    expect(lines).toContain('aigateway_exporter_refused_answers_total{collector="key"} 2');
    expect(lines).toContain('aigateway_exporter_poll_duration_seconds_count{collector="key"} 2');
  });

  test("a histogram has cumulative buckets, also before the first observation, in both formats", async () => {
    const registry = createSelfRegistry(createManualClock());
    const duration = registry.histogram(families.pollDuration);
    duration.zero({ collector: "analytics" });
    duration.observe({ collector: "key" }, 0.007);
    duration.observe({ collector: "key" }, 5);
    duration.observe({ collector: "key" }, 61);
    const name = "aigateway_exporter_poll_duration_seconds";
    const inText = parseTextFormat(await textOf(registry)).get(name);
    const inOpenMetrics = parseOpenMetrics(await textOf(registry, "openmetrics")).get(name);
    const bucketsOf = (family: typeof inText, collector: string) =>
      family?.samples
        .filter((sample) => sample.name === `${name}_bucket` && sample.labels["collector"] === collector)
        .map(({ labels, value }) => [labels["le"], value]);
    expect([inText?.type, inOpenMetrics?.type]).toEqual(["histogram", "histogram"]);
    const bounds = families.pollDuration.buckets;
    const counts = bounds.map((bound) => (bound < 0.007 ? 0 : bound < 5 ? 1 : 2));
    expect(bucketsOf(inText, "key")).toEqual([
      ...bounds.map((bound, index) => [String(bound), counts[index]]),
      ["+Inf", 3],
    ]);
    // OpenMetrics requires a decimal point.
    expect(bucketsOf(inOpenMetrics, "key")?.slice(-5)).toEqual([
      ["5.0", 2],
      ["10.0", 2],
      ["30.0", 2],
      ["60.0", 2],
      ["+Inf", 3],
    ]);
    expect(bucketsOf(inText, "analytics")?.every(([, value]) => value === 0)).toBe(true);
  });
});
