import { get } from "node:http";
import { text } from "node:stream/consumers";
import { createZstdDecompress, gunzipSync } from "node:zlib";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { createMetricsRoute } from "../../../exporter/http/metrics-route.ts";
import { createServer, type Server } from "../../../exporter/http/server.ts";
import { gauge, sample } from "../../../exporter/metrics/family.ts";
import { createPublisher } from "../../../exporter/metrics/render/publisher.ts";
import { createSelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { selfFamilies } from "../../../exporter/metrics/self-families.ts";
import { createManualClock } from "../../support/clock.ts";
import { startPrometheus } from "../../support/prometheus.ts";
import { describeWithTools } from "../../support/tools.ts";
import { until } from "../../support/until.ts";
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
  const change = async (count: number) => {
    readings.put("a", samples.slice(0, count), 60_000);
    publisher.changed();
    await clock.advance(1000);
  };
  readings.put("a", samples, 60_000);
  return { change };
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

/** The text of all frames; Node stops after the first. */
async function unframed(frames: Buffer): Promise<string> {
  if (frames.length === 0) return "";
  const stream = createZstdDecompress().end(frames);
  return (await text(stream)) + (await unframed(frames.subarray(stream.bytesWritten)));
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
    const smaller = await scrape(accept, "zstd,gzip");
    expect([smaller.type, smaller.encoding, smaller.vary]).toEqual([type, "zstd", "Accept, Accept-Encoding"]);
    expect(await unframed(smaller.body)).toBe(plain.body.toString());
    const shown = parse(plain.body.toString());
    expect(shown.get(family.name)?.samples).toHaveLength(3000);
    expect(shown.has("aigateway_exporter_polls_total") || shown.has("aigateway_exporter_polls")).toBe(true);
  });
});

describeWithTools(["prometheus3"], "createMetricsRoute()", ({ prometheus3 }) => {
  test("answers a Prometheus that wants zstd, also after a change", async () => {
    const { change } = await start();
    const prometheus = await startPrometheus({
      binary: prometheus3,
      targets: { job: [new URL(server.url()).host] },
      flags: ["--enable-feature=zstd-scrape"],
    });
    onTestFinished(() => prometheus.stop());
    const seen = (count: number) =>
      until(
        `${count} series`,
        () => prometheus.query(`count(${family.name}) == ${count}`),
        (found) => found.length > 0,
      );
    await expect(seen(3000)).resolves.toHaveLength(1);
    await change(2999);
    await expect(seen(2999)).resolves.toHaveLength(1);
  });
});
