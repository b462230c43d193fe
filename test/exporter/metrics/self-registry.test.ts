import { describe, expect, test } from "vitest";
import { selfFamilies as families } from "../../../exporter/metrics/self-families.ts";
import { createSelfRegistry, type SelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { createManualClock } from "../../support/clock.ts";
import { parseOpenMetrics, parseTextFormat } from "../../support/openmetrics.ts";

async function ownLines(registry: SelfRegistry): Promise<readonly string[]> {
  const text = (await registry.render("text")).toString();
  return text.split("\n").filter((line) => line.startsWith("aigateway_"));
}

describe("createSelfRegistry()", () => {
  test("shows what the parts of the exporter set, count and observe", async () => {
    const registry = createSelfRegistry(createManualClock());
    registry.gauge(families.reloadSuccessful).set({}, 1);
    const polls = registry.counter(families.polls);
    polls.inc({ collector: "key" }, 0);
    polls.inc({ collector: "analytics" });
    polls.inc({ collector: "analytics" });
    expect(await ownLines(registry)).toEqual([
      "aigateway_exporter_config_last_reload_successful 1",
      'aigateway_exporter_polls_total{collector="key"} 0',
      'aigateway_exporter_polls_total{collector="analytics"} 2',
    ]);
  });

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
    const inText = parseTextFormat((await registry.render("text")).toString()).get(name);
    const inOpenMetrics = parseOpenMetrics((await registry.render("openmetrics")).toString()).get(name);
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

  test("both formats stay valid in whatever order they are requested", async () => {
    const registry = createSelfRegistry(createManualClock());
    registry.counter(families.polls).inc({ collector: "key" });
    const first = await ownLines(registry);
    const openMetrics = parseOpenMetrics((await registry.render("openmetrics")).toString());
    expect(openMetrics.get("aigateway_exporter_polls")?.type).toBe("counter");
    expect(await ownLines(registry)).toEqual(first);
    const text = (await registry.render("text")).toString();
    expect(parseTextFormat(text).has("aigateway_exporter_polls_total")).toBe(true);
  });

  test("metrics of the process are up to a second old, the exporter's own are never old", async () => {
    const clock = createManualClock();
    const registry = createSelfRegistry(clock);
    const polls = registry.counter(families.polls);
    const seen = async () => {
      const text = (await registry.render("text")).toString();
      const value = (name: string) => Number(new RegExp(`^${name}(?:{.*})? (.*)$`, "m").exec(text)?.[1]);
      return [value("process_cpu_seconds_total"), value("aigateway_exporter_polls_total")];
    };
    polls.inc({ collector: "key" });
    const [cpu] = await seen();
    polls.inc({ collector: "key" });
    const until = process.cpuUsage().user + 20_000;
    while (process.cpuUsage().user < until);
    await clock.advance(999);
    expect(await seen()).toEqual([cpu, 2]);
    await clock.advance(1);
    expect((await seen())[0]).toBeGreaterThan(cpu ?? 0);
  });
});
