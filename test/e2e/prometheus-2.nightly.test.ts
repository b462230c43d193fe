import { expect, test } from "vitest";

import { createGateway } from "../gateway/gateway.ts";
import { writeExporterFiles } from "../support/exporter-files.ts";
import { startExporter, untilReady } from "../support/exporter-process.ts";
import { startPrometheus } from "../support/prometheus.ts";
import { checkMetrics } from "../support/promtool.ts";
import { describeWithTools } from "../support/tools.ts";

describeWithTools(["prometheus2", "promtool2"], "Prometheus 2", ({ prometheus2, promtool2 }) => {
  test("scrapes the series of every key, and promtool has no complaint", async () => {
    const gateway = createGateway({ keys: 12, historyDays: 35 });
    await gateway.start();
    const files = writeExporterFiles({ url: gateway.url, tokens: gateway.tokens });
    const exporter = await startExporter([`--config.file=${files.configFile}`], files.environment);
    await untilReady(exporter);
    const targets = { "aigateway-exporter": [exporter.address] };
    const prometheus = await startPrometheus({ binary: prometheus2, targets, interval: "1s" });
    await prometheus.waitForScrapeAfter(0, "aigateway-exporter");
    expect(await prometheus.query("count(aigateway_key_up)")).toMatchObject([{ value: 12 }]);
    const text = await (await fetch(`${exporter.url}/metrics`, { headers: { accept: "text/plain" } })).text();
    expect(await checkMetrics(promtool2, text)).toMatchObject({ ok: true, output: "" });
    await prometheus.stop();
    await exporter.stop();
    await gateway.stop();
    files.remove();
  });
});
