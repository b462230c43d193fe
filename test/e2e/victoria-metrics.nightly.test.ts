import { afterAll, beforeAll, expect, test } from "vitest";

import { renderRuleFile } from "../../dashboards/rules/file.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { JOB } from "../../dashboards/rules/settings.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { type ExporterProcess, startExporter } from "../support/exporter-process.ts";
import { type Prometheus, startPrometheus } from "../support/prometheus.ts";
import type { Alert } from "../support/prometheus-api.ts";
import { describeWithTools } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { startVictoriaMetrics, type VictoriaMetrics } from "../support/victoria-metrics.ts";

/** A minute of the rules takes three seconds. */
const SCALE = 1 / 20;
const SCRAPE_INTERVAL_MS = 1000;
/** Debian's vmalert refuses this field; docs/compatibility.md has the command that removes it. */
const KEEP_FIRING_FOR = /^ *keep_firing_for: .*\n/gm;

describeWithTools(["victoriaMetrics", "vmalert", "prometheus3"], "VictoriaMetrics", (tools) => {
  let gateway: Gateway;
  let files: ExporterFiles;
  let exporter: ExporterProcess;
  let prometheus: Prometheus;
  let victoriaMetrics: VictoriaMetrics;

  beforeAll(async () => {
    gateway = createGateway();
    for (const name of ["dry", "steady"])
      gateway.addKey({ name, limitMicros: 10_000_000, limitReset: "daily" });
    await gateway.start();
    gateway.spend({ key: "dry", model: "acme/one", app: "Chat", micros: 10_000_000 });
    gateway.spend({ key: "steady", model: "acme/one", app: "Chat", micros: 1_000_000 });
    files = writeExporterFiles({
      ...gateway,
      tokens: new Map([...gateway.tokens, ["refused", "sk-unknown-to-the-gateway-0123456789"]]),
      content: {
        budgets: [{ name: "small", limit: 5, window: "day", keys: ["dry"] }],
        schedule: { keys: "2s" },
      },
    });
    exporter = await startExporter([`--config.file=${files.configFile}`], files.environment);
    const rules = renderRuleFile(createRules({ scale: SCALE }));
    const job = { job: JOB, target: exporter.address, scrapeIntervalMs: SCRAPE_INTERVAL_MS };
    [prometheus, victoriaMetrics] = await Promise.all([
      startPrometheus({
        binary: tools.prometheus3,
        targets: { [JOB]: [exporter.address] },
        rules: [rules],
        interval: `${SCRAPE_INTERVAL_MS}ms`,
      }),
      startVictoriaMetrics({
        ...job,
        server: tools.victoriaMetrics,
        vmalert: tools.vmalert,
        rules: rules.replaceAll(KEEP_FIRING_FOR, ""),
      }),
    ]);
  }, 120_000);

  afterAll(async () => {
    await victoriaMetrics?.stop();
    await prometheus?.stop();
    await exporter?.stop();
    await gateway?.stop();
    files?.remove();
  });

  test("stores every series of the exporter that Prometheus stores, with the same values", async () => {
    const expression = '{__name__=~"aigateway_(key|budget|usage)_.*", __name__!~".*(timestamp|forecast).*"}';
    const stored = async (store: Pick<Prometheus, "query">) =>
      (await store.query(expression)).map(({ labels, value }) => `${textOf(labels)} ${value}`).toSorted();
    const seen = await until(
      "the same series",
      async () => ({ ours: await stored(victoriaMetrics), theirs: await stored(prometheus) }),
      ({ ours, theirs }) => theirs.length > 20 && ours.join("\n") === theirs.join("\n"),
    );
    expect(seen.ours).toEqual(seen.theirs);
  });

  test("vmalert fires the same alerts as Prometheus", { timeout: 180_000 }, async () => {
    const expected = ["AIGatewayKeyExhausted", "AIGatewayBudgetExceeded", "AIGatewayKeyUnauthorized"];
    const seen = await until(
      "the same alerts",
      async () => ({
        ours: alertsOf(await victoriaMetrics.firing()),
        theirs: alertsOf(firingOf(await prometheus.alerts())),
      }),
      ({ ours, theirs }) =>
        expected.every((name) => theirs.some((alert) => alert.includes(`"${name}"`))) &&
        ours.join("\n") === theirs.join("\n"),
      { timeoutMs: 90_000, pauseMs: 500 },
    );
    expect(seen.ours).toEqual(seen.theirs);
  });
});

function firingOf(alerts: readonly Alert[]): readonly Labels[] {
  return alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels);
}

function alertsOf(alerts: readonly Labels[]): readonly string[] {
  return alerts.map(textOf).toSorted();
}

type Labels = Alert["labels"];

/** Without the group, which only vmalert adds. */
function textOf(labels: Labels): string {
  return Object.keys(labels)
    .filter((name) => name !== "alertgroup")
    .toSorted()
    .map((name) => `${name}="${labels[name]}"`)
    .join(",");
}
