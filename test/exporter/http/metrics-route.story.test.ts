import { get } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { createMetricsRoute } from "../../../exporter/http/metrics-route.ts";
import { createServer, type Server } from "../../../exporter/http/server.ts";
import { gauge, sample } from "../../../exporter/metrics/family.ts";
import { createPublisher } from "../../../exporter/metrics/render/publisher.ts";
import { createSelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { selfFamilies } from "../../../exporter/metrics/self-families.ts";
import { createManualClock } from "../../support/clock.ts";
import { parseOpenMetrics, parseTextFormat } from "../../support/openmetrics.ts";
import { createSampleReadings } from "../../support/fake-readings.ts";

const OPEN_METRICS = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";
const family = gauge({ name: "aigateway_test_credits", help: "Test.", labels: ["key"], absent: "never" });
const headers = [{ family, help: family.help }];

let server: Server;
afterEach(() => server.stop());

async function start() {
  const clock = createManualClock();
  const readings = createSampleReadings(clock);
  const self = createSelfRegistry(clock);
  self.counter(selfFamilies.polls).inc({ collector: "key" });
  const publisher = createPublisher(
    () => readings.view(),
    () => headers,
    clock,
    () => {},
  );
  const listen = [{ host: "127.0.0.1", port: 0 }];
  server = createServer(listen, [createMetricsRoute("/metrics", publisher, self)], () => {});
  await server.start();
  const samples = Array.from({ length: 3000 }, (_, key) => sample(family, { key: `key-${key}` }, 0.5)).flat();
  readings.put("a", samples, 1000);
  return { clock };
}

/** The raw bytes of the answer; `fetch` would decode them. */
async function scrape(accept: string, encoding: string) {
  return new Promise<{ encoding: string | undefined; type: string | undefined; vary: string; body: Buffer }>(
    (resolve, reject) => {
      const request = get(`${server.url()}/metrics`, { headers: { accept, "accept-encoding": encoding } });
      request.on("error", reject).on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const { "content-encoding": sent, "content-type": type, vary = "" } = response.headers;
          resolve({ encoding: sent, type, vary, body: Buffer.concat(chunks) });
        });
      });
    },
  );
}

describe("createMetricsRoute()", () => {
  test.each([
    ["*/*", "text/plain; version=0.0.4; charset=utf-8", parseTextFormat],
    [OPEN_METRICS, "application/openmetrics-text; version=1.0.0; charset=utf-8", parseOpenMetrics],
  ])("with Accept %s, sends the same valid text with gzip and without", async (accept, type, parse) => {
    await start();
    const zipped = await scrape(accept, "gzip, deflate");
    const plain = await scrape(accept, "identity");
    expect([zipped.type, zipped.encoding, zipped.vary]).toEqual([type, "gzip", "Accept, Accept-Encoding"]);
    expect([plain.type, plain.encoding, plain.vary]).toEqual([type, undefined, "Accept, Accept-Encoding"]);
    expect(gunzipSync(zipped.body).toString()).toBe(plain.body.toString());
    const shown = parse(plain.body.toString());
    expect(shown.get(family.name)?.samples).toHaveLength(3000);
    expect(shown.has("aigateway_exporter_polls_total") || shown.has("aigateway_exporter_polls")).toBe(true);
  });
});
