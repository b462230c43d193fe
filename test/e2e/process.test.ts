import { afterAll, beforeAll, describe, expect, test } from "vitest";

import packageJson from "../../package.json" with { type: "json" };
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type ExporterProcess, startExporter, untilReady } from "../support/exporter-process.ts";
import { parseOpenMetrics, parseTextFormat } from "../support/openmetrics.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import { checkMetrics } from "../support/promtool.ts";
import { describeWithTools } from "../support/tools.ts";

const JOB = "aigateway-exporter";

let gateway: Gateway;
let files: ExporterFiles;
let exporter: ExporterProcess;

beforeAll(async () => {
  gateway = createGateway({ keys: 12, historyDays: 35 });
  // The books do not change, so two scrapes can be compared.
  gateway.clock.speed = 0;
  await gateway.start();
  files = writeExporterFiles({
    ...gateway,
    content: {
      schedule: { keys: "*/1 * * * * *", analytics: "*/10 * * * * *" },
      credit_value: { currency: "EUR", value: 0.92 },
    },
  });
  exporter = await startExporter([`--config.file=${files.configFile}`], files.environment);
});

afterAll(async () => {
  await exporter.stop();
  await gateway.stop();
  files.remove();
});

describeWithTools(["prometheus3"], "Prometheus scrapes the process", ({ prometheus3 }) => {
  let prometheus: Prometheus;

  beforeAll(async () => {
    prometheus = await startPrometheus({
      binary: prometheus3,
      config: {
        global: { scrape_interval: "1s", scrape_timeout: "1s" },
        scrape_configs: [
          scrapeConfig(JOB, "OpenMetricsText1.0.0"),
          scrapeConfig("text", "PrometheusText0.0.4"),
        ],
      },
    });
  });
  afterAll(() => prometheus.stop());

  test("scrapes it successfully, with the series of every key", async () => {
    await prometheus.waitForScrapeAfter(Date.now(), JOB);
    // One of the first scrapes may time out on a busy machine.
    await prometheus.queryUntil("count(up == 1)", (samples) => samples[0]?.value === 2);
    expect(await prometheus.query(`count(aigateway_key_up{job="${JOB}"})`)).toMatchObject([{ value: 12 }]);
    const name = "billing";
    const [usage] = await prometheus.query(`aigateway_key_usage_credits{job="${JOB}", key="${name}"}`);
    expect(usage?.value).toBe(gateway.books.key(name).credits.usage.total);
  });

  test("stores the same samples from either format", async () => {
    const count = "max by (job) (scrape_samples_scraped)";
    const counts = await prometheus.queryUntil(
      count,
      (jobs) => jobs.length === 2 && new Set(jobs.map(({ value }) => value)).size === 1,
    );
    expect(counts[0]?.value).toBeGreaterThan(100);
    const strangers = `{__name__=~"aigateway_.*", job="${JOB}"} unless on (__name__, key, model, app, query, endpoint, code, reason, collector, aigateway_key_limit_reset) {__name__=~"aigateway_.*", job="text"}`;
    expect(await prometheus.queryUntil(strangers, (samples) => samples.length === 0)).toEqual([]);
  });
});

function scrapeConfig(job: string, protocol: string): object {
  return {
    job_name: job,
    scrape_protocols: [protocol],
    static_configs: [{ targets: [exporter.address] }],
  };
}

describe("the exposition", () => {
  beforeAll(() => untilReady(exporter));
  const openMetrics = "application/openmetrics-text; version=1.0.0";

  test("passes the strict parsers of both formats, with the same series", async () => {
    const text = await get("text/plain");
    const open = await get(openMetrics);
    expect(text.type).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(open.type).toBe(`${openMetrics}; charset=utf-8`);
    const families = [parseTextFormat(text.body), parseOpenMetrics(open.body)];
    const [inText, inOpen] = families.map((all) =>
      [...all.values()]
        .flatMap(({ samples }) => samples.map(({ name }) => name))
        .filter((name) => OURS.test(name)),
    );
    expect(inText?.length).toBeGreaterThan(100);
    expect(inOpen).toEqual(inText);
  });
});

describeWithTools(["promtool3"], "promtool check metrics", ({ promtool3 }) => {
  test("reports no problem", async () => {
    const { body } = await get("text/plain");
    expect(await checkMetrics(promtool3, body)).toEqual({ ok: true, exitCode: 0, output: "" });
  });
});

test("it cannot be reloaded by HTTP without --web.enable-lifecycle", async () => {
  const response = await fetch(`${exporter.url}/-/reload`, { method: "POST" });
  expect([response.status, await response.text()]).toEqual([
    403,
    "Lifecycle API is not enabled (--web.enable-lifecycle)\n",
  ]);
});

test("it sends its version to the gateway with every request", () => {
  expect(new Set(gateway.log.lines.map(({ userAgent }) => userAgent))).toEqual(
    new Set([`aigateway-exporter/${packageJson.version}`]),
  );
});

test("SIGUSR1 neither opens the debugger nor ends it", async () => {
  exporter.signal("SIGUSR1");
  expect((await get("text/plain")).type).toContain("text/plain");
  expect(exporter.log()).not.toMatch(/debugger/i);
});

const OURS = /^aigateway_(key|analytics|usage|credit)/;

async function get(accept: string) {
  const response = await fetch(`${exporter.url}/metrics`, { headers: { accept } });
  return { type: response.headers.get("content-type"), body: await response.text() };
}
