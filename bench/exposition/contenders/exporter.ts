import { createApp } from "../../../exporter/app.ts";
import { systemClock } from "../../../exporter/time/clock.ts";
import { createMetricsRoute } from "../../../exporter/http/metrics-route.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { crcShift } from "../../../exporter/metrics/render/crc.ts";
import { type Deflate, deflate } from "../../../exporter/metrics/render/gzip.ts";
import { createPublisher } from "../../../exporter/metrics/render/publisher.ts";
import { createRenderer } from "../../../exporter/metrics/render/renderer.ts";
import { createSelfMetrics } from "../../../exporter/metrics/self.ts";
import { createStore } from "../../../exporter/readings/store.ts";
import { type Subject, serveSubject } from "../contender.ts";
import { createDataSet, familiesOf, samplesOf } from "../data-set.ts";

const data = createDataSet(Number(process.argv[2]));

/** The exporter's own store, publisher and route, in a process that has loaded all other code of the exporter. */
await serveSubject(data.series, () => {
  if (typeof createApp !== "function") throw new Error("Cannot measure the exporter without all of its code");
  return openExporter();
});

export function openExporter(): Subject {
  const families = familiesOf(data);
  const headers = families.map((family) => ({ family, help: family.help }));
  const store = createStore(systemClock, () => Number.POSITIVE_INFINITY);
  const publisher = createPublisher(
    store,
    () => headers,
    systemClock,
    (error) => {
      throw error;
    },
  );
  const readings = { keys: 0, series: 0, seriesLimit: 0, creditValue: undefined };
  const none = new Map<string, number>();
  const self = createSelfMetrics(
    { version: "0", revision: "0", nodeVersion: process.version },
    () => ({ ...readings, pollLag: none, pollInterval: none, throttledUntil: none }),
    systemClock,
  );
  const route = createMetricsRoute("/metrics", publisher, self);
  const rendererOf = (compress: Deflate) => {
    const renderer = createRenderer(compress);
    return () => renderer.render(headers, store.view().blocks, new Set(["text"] as const));
  };
  let render: (() => Promise<unknown>) | undefined;
  let publish: (() => Promise<unknown>) | undefined;
  return {
    fill: (round) => {
      for (const [target, samples] of samplesOf(data, families, round)) {
        store.put(target, { samples, askedAtMs: Date.now(), timeToLiveMs: 86_400_000 });
      }
      publisher.changed();
    },
    // Renders without compression, to be comparable with a registry.
    render: () => (render ??= rendererOf(createTextKeeper()))(),
    publish: () => (publish ??= rendererOf(deflate))(),
    listen: async () => {
      const server = createServer({ host: "127.0.0.1", port: 0 }, [route], (error) => {
        throw error;
      });
      await server.start();
      return Number(new URL(server.url()).port);
    },
  };
}

/** More than the number of slices of one rendering. */
const MOST_KEPT = 400;

/** Keeps the uncompressed text, so that the whole of it is available at the end. */
function createTextKeeper(): Deflate {
  const kept: Buffer[] = [];
  const nothing = Buffer.alloc(0);
  return (text) => {
    kept.push(Buffer.from(text));
    if (kept.length > MOST_KEPT) kept.shift();
    return Promise.resolve({
      deflated: nothing,
      length: text.length,
      crc: 0,
      crcShift: crcShift(text.length),
    });
  };
}
