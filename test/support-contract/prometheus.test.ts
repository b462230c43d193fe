import { createServer } from "node:http";

import { afterAll, beforeAll, expect, test } from "vitest";

import { listenOnLoopback } from "../support/loopback.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import { checkMetrics, checkRules, testRules } from "../support/promtool.ts";
import { startTextRelay } from "../support/text-relay.ts";
import { describeWithTools } from "../support/tools.ts";

const RULES = `groups:
  - name: spend
    rules:
      - { alert: SpendHigh, expr: spend_credits > 10, labels: { severity: warning }, annotations: { summary: high } }
`;

describeWithTools(["prometheus2"], "startPrometheus 2", ({ prometheus2 }) => prometheusTests(prometheus2));
describeWithTools(["prometheus3"], "startPrometheus 3", ({ prometheus3 }) => {
  prometheusTests(prometheus3);

  test("format selects the format to request from targets", async () => {
    const target = await startTarget();
    const options = { binary: prometheus3, targets: { spend: [target.address] } };
    const text = await startPrometheus({ ...options, format: "text" });
    await text.waitForScrapeAfter(0, "spend");
    await text.stop();
    const asked = target.accepted.splice(0);
    const openMetrics = await startPrometheus({ ...options, format: "openmetrics" });
    await openMetrics.waitForScrapeAfter(0, "spend");
    await openMetrics.stop();
    await target.stop();
    expect(asked.filter((accept) => accept.includes("openmetrics"))).toEqual([]);
    expect(target.accepted.filter((accept) => !accept.startsWith("application/openmetrics-text"))).toEqual(
      [],
    );
  });
});

describeWithTools(["prometheus2"], "startTextRelay", ({ prometheus2 }) => {
  test("lets Prometheus 2.42 scrape the text format", async () => {
    const target = await startTarget();
    const relay = await startTextRelay(target.address);
    const prometheus = await startPrometheus({ binary: prometheus2, targets: { spend: [relay.address] } });
    await prometheus.waitForScrapeAfter(0, "spend");
    const samples = await prometheus.query("spend_credits");
    await prometheus.stop();
    await relay.stop();
    await target.stop();
    expect(samples).toMatchObject([{ value: 12.5 }]);
    expect(new Set(target.accepted)).toEqual(new Set(["text/plain;version=0.0.4"]));
  });

  test("startPrometheus refuses to choose a format for a version that cannot", async () => {
    await expect(startPrometheus({ binary: prometheus2, format: "text" })).rejects.toThrow(
      /^Cannot scrape in the format "text": ".*" is 2\.42, want 2\.49 or later/,
    );
  });
});

describeWithTools(["promtool2"], "promtool 2", ({ promtool2 }) => promtoolTests(promtool2));
describeWithTools(["promtool3"], "promtool 3", ({ promtool3 }) => promtoolTests(promtool3));

function prometheusTests(binary: string): void {
  let target: Target;
  let prometheus: Prometheus;

  beforeAll(async () => {
    target = await startTarget();
    prometheus = await startPrometheus({ binary, targets: { spend: [target.address] }, rules: [RULES] });
  });

  afterAll(async () => {
    await prometheus.stop();
    await target.stop();
  });

  test("scrapes, answers queries and evaluates rules", async () => {
    const before = Date.now();
    await prometheus.waitForScrapeAfter(before, "spend");
    const [sample] = await prometheus.query("spend_credits");
    expect(sample).toMatchObject({ labels: { job: "spend", key: "billing" }, value: 12.5 });
    expect(await prometheus.query("sum(spend_credits) / 0")).toMatchObject([{ labels: {}, value: Infinity }]);
    expect(await prometheus.query("2 * 3")).toMatchObject([{ labels: {}, value: 6 }]);

    const now = Date.now();
    const series = await prometheus.queryRange("spend_credits", { start: now - 1000, end: now, stepMs: 100 });
    expect(series[0]?.points.at(-1)?.value).toBe(12.5);

    await prometheus.queryUntil('ALERTS{alertstate="firing"}', (samples) => samples.length === 1);
    expect(await prometheus.alerts()).toMatchObject([
      {
        labels: { alertname: "SpendHigh", severity: "warning" },
        annotations: { summary: "high" },
        state: "firing",
      },
    ]);
    expect(await prometheus.activeTargets()).toMatchObject([{ job: "spend", health: "up", lastError: "" }]);
  });

  test("waitForScrapeAfter sees a change that was made before the given time", async () => {
    await prometheus.waitForScrapeAfter(0, "spend");
    target.value = 99;
    await prometheus.waitForScrapeAfter(Date.now(), "spend");
    expect(await prometheus.query("spend_credits")).toMatchObject([{ value: 99 }]);
  });

  test("query fails with Prometheus' own message for a wrong query", async () => {
    await expect(prometheus.query("sum(")).rejects.toThrow(/Prometheus answered 400: .*parse error/);
  });

  test("shows the log of a Prometheus that does not start", async () => {
    await expect(startPrometheus({ binary, config: "scrape_configs: 7" })).rejects.toThrow(
      /^Cannot start ".*": it ended with \d; it wrote:\n[^]*cannot unmarshal/,
    );
  });
}

function promtoolTests(promtool: string): void {
  test.each([
    ["a good exposition", "# HELP up_credits Spend.\n# TYPE up_credits gauge\nup_credits 1\n", true],
    ["a metric without help", "# TYPE up_credits gauge\nup_credits 1\n", false],
    ["a broken line", "up_credits one\n", false],
  ])("checkMetrics judges %s", async (_name, exposition, ok) => {
    const result = await checkMetrics(promtool, exposition);
    expect({ ok: result.ok, silent: result.output === "" }).toEqual({ ok, silent: ok });
  });

  test.each([
    ["good rules", RULES, true],
    ["a broken expression", RULES.replace("spend_credits > 10", "sum("), false],
    ["a duplicate rule", RULES + (RULES.split("rules:\n")[1] ?? ""), false],
  ])("checkRules judges %s", async (_name, rules, ok) => {
    expect(await checkRules(promtool, rules)).toMatchObject({ ok });
  });

  test.each([
    ["a rule that fires", 11, true],
    ["a rule that does not", 9, false],
  ])("testRules judges %s", async (_name, value, ok) => {
    expect(await testRules(promtool, rulesTest(value), { "rules.yaml": RULES })).toMatchObject({ ok });
  });
}

function rulesTest(value: number): string {
  return `rule_files: [rules.yaml]
tests:
  - interval: 1m
    input_series: [{ series: spend_credits, values: "${value}" }]
    alert_rule_test:
      - eval_time: 0m
        alertname: SpendHigh
        exp_alerts: [{ exp_labels: { severity: warning }, exp_annotations: { summary: high } }]
`;
}

interface Target {
  readonly address: string;
  /** The `Accept` header of each scrape. */
  readonly accepted: string[];
  value: number;
  stop(): Promise<void>;
}

async function startTarget(): Promise<Target> {
  const accepted: string[] = [];
  const server = createServer((request, response) => {
    const accept = request.headers.accept ?? "";
    accepted.push(accept);
    const openMetrics = accept.includes("openmetrics");
    response.setHeader(
      "content-type",
      openMetrics ? "application/openmetrics-text; version=1.0.0" : "text/plain; version=0.0.4",
    );
    response.end(`spend_credits{key="billing"} ${target.value}\n${openMetrics ? "# EOF\n" : ""}`);
  });
  const { address, stop } = await listenOnLoopback(server);
  const target: Target = { address, accepted, value: 12.5, stop };
  return target;
}
