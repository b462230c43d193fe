import { describe, expect, test } from "vitest";
import { createSelfMetrics, type SelfReadings } from "../../../exporter/metrics/self.ts";
import { selfFamilies } from "../../../exporter/metrics/self-families.ts";
import { createManualClock } from "../../support/clock.ts";
import { parseOpenMetrics, parseTextFormat } from "../../support/openmetrics.ts";

const QUIET: SelfReadings = {
  keys: 3,
  series: 40,
  seriesLimit: 100,
  creditValue: undefined,
  pollLag: new Map([["key", 0]]),
  pollInterval: new Map([["key", 60]]),
  throttledUntil: new Map(),
};

function setUp(readings: Partial<SelfReadings> = {}, clock = createManualClock()) {
  const build = { version: "1.2.3", revision: "abc", nodeVersion: "v22" };
  const self = createSelfMetrics(build, () => ({ ...QUIET, ...readings }), clock);
  self.polls.inc({ collector: "key" }, 2);
  self.upstreamRequests.inc({ endpoint: "key", code: "200" });
  return self;
}

const ours = (text: Buffer) =>
  text
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("aigateway_"));

describe("createSelfMetrics()", () => {
  test("shows what is known and leaves out what is not", async () => {
    expect(ours(await setUp().render("text"))).toEqual([
      'aigateway_exporter_build_info{version="1.2.3",revision="abc",nodeversion="v22"} 1',
      "aigateway_exporter_keys 3",
      "aigateway_exporter_series 40",
      "aigateway_exporter_series_limit 100",
      'aigateway_exporter_poll_lag_seconds{collector="key"} 0',
      'aigateway_exporter_poll_interval_seconds{collector="key"} 60',
      'aigateway_exporter_polls_total{collector="key"} 2',
      'aigateway_exporter_upstream_requests_total{endpoint="key",code="200"} 1',
      "aigateway_exporter_config_last_reload_successful 0",
      "aigateway_exporter_config_last_reload_success_timestamp_seconds 0",
    ]);
  });

  test("shows a throttled endpoint and the price of a credit only while there is one", async () => {
    const text = await setUp({
      throttledUntil: new Map([["analytics", 1795000000]]),
      creditValue: { currency: "USD", value: 0.5 },
    }).render("text");
    expect(ours(text)).toContain(
      'aigateway_exporter_throttled_until_timestamp_seconds{endpoint="analytics"} 1795000000',
    );
    expect(ours(text)).toContain('aigateway_credit_value{currency="USD"} 0.5');
  });

  test.each([
    [true, 1],
    [false, 0],
  ])("shows whether the web configuration is up to date, %s, only where there is one", async (is, shown) => {
    const text = await setUp({ webUpToDate: is }).render("text");
    expect(ours(text)).toContain(`aigateway_exporter_web_config_last_reload_successful ${shown}`);
  });

  test("both formats stay valid in whatever order they are asked for", async () => {
    const self = setUp();
    const first = ours(await self.render("text"));
    const openMetrics = parseOpenMetrics((await self.render("openmetrics")).toString());
    expect(openMetrics.get("aigateway_exporter_polls")?.type).toBe("counter");
    expect(ours(await self.render("text"))).toEqual(first);
    expect(
      parseTextFormat((await self.render("text")).toString()).has("aigateway_exporter_polls_total"),
    ).toBe(true);
  });

  test("has a metric for every family that is declared", async () => {
    const text = (await setUp().render("text")).toString();
    const declared = Object.values(selfFamilies).map(({ name }) => name);
    expect(declared.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
  });

  test("what Node says of the process is at most a second old, what the exporter counts is never old", async () => {
    const clock = createManualClock();
    const self = setUp({}, clock);
    const seen = async () => {
      const text = (await self.render("text")).toString();
      const value = (name: string) => Number(new RegExp(`^${name}(?:{.*})? (.*)$`, "m").exec(text)?.[1]);
      return [value("process_cpu_seconds_total"), value("aigateway_exporter_polls_total")];
    };
    const [cpu, polls] = await seen();
    self.polls.inc({ collector: "key" });
    const until = process.cpuUsage().user + 20_000;
    while (process.cpuUsage().user < until);
    await clock.advance(999);
    expect(await seen()).toEqual([cpu, (polls ?? 0) + 1]);
    await clock.advance(1);
    expect((await seen())[0]).toBeGreaterThan(cpu ?? 0);
  });
});
