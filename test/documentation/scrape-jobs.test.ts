import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { JOB } from "../../dashboards/rules/settings.ts";
import { pages } from "./pages.ts";

const Scrape = z.object({
  scrape_configs: z.array(
    z.looseObject({ job_name: z.string(), scrape_protocols: z.array(z.string()).optional() }),
  ),
});

const Collector = z.looseObject({
  receivers: z.object({ prometheus: z.object({ config: Scrape }) }),
  exporters: z.record(z.string(), z.unknown()),
  service: z.object({
    pipelines: z.object({
      metrics: z.object({ receivers: z.array(z.string()), exporters: z.array(z.string()) }),
    }),
  }),
});

const blocks = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/^( *)```yaml\n(.*?)^ *```$/gms)]
    .map(([, indent = "", block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""))
    .filter((block) => /^ *scrape_configs:/m.test(block))
    .map((block) => ({ path, content: z.record(z.string(), z.unknown()).parse(parse(block)) })),
);
const scrapers = blocks.filter(({ content }) => "scrape_configs" in content);
const collectors = blocks.filter(({ content }) => "receivers" in content);

describe("the scrape configurations of the documentation", () => {
  test("are found", () => {
    expect(scrapers.length).toBeGreaterThanOrEqual(3);
    expect(collectors).toHaveLength(1);
    expect(scrapers.length + collectors.length).toBe(blocks.length);
  });

  test.each(scrapers)("name the job of the rules ($path)", ({ content }) => {
    expect(Scrape.parse(content).scrape_configs.map((scrape) => scrape.job_name)).toEqual([JOB]);
  });

  test.each(collectors)("let the OpenTelemetry collector keep the names of infos ($path)", ({ content }) => {
    const { receivers, exporters, service } = Collector.parse(content);
    expect(receivers.prometheus.config.scrape_configs).toMatchObject([
      { job_name: JOB, scrape_protocols: ["PrometheusText0.0.4"] },
    ]);
    expect(service.pipelines.metrics).toEqual({
      receivers: Object.keys(receivers),
      exporters: Object.keys(exporters),
    });
  });
});
