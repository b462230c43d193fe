import { createApp } from "../../../exporter/app.ts";
import { systemClock } from "../../../exporter/time/clock.ts";
import { createMetricsRoute } from "../../../exporter/http/metrics-route.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { crcShift, type Deflate, deflate } from "../../../exporter/metrics/render/gzip.ts";
import { createPublisher } from "../../../exporter/metrics/render/publisher.ts";
import { createRenderer } from "../../../exporter/metrics/render/renderer.ts";
import { createSelfRegistry } from "../../../exporter/metrics/self-registry.ts";
import { createPacking } from "../../../exporter/metrics/render/block.ts";
import { ANY_VALUE } from "../../../test/support/fake-readings.ts";
import { createReadings } from "../../../exporter/readings/readings.ts";
import { targetId } from "../../../exporter/readings/target-id.ts";
import { type Subject, serveSubject } from "../contender.ts";
import { createDataSet, familiesOf, samplesOf } from "../data-set.ts";

const data = createDataSet(Number(process.argv[2]));

/** The exporter's own readings, publisher and route, in a process that has loaded the rest of it as well. */
await serveSubject(data.series, () => {
  if (typeof createApp !== "function") throw new Error("Cannot measure the exporter without all of its code");
  return openExporter();
});

function openExporter(): Subject {
  const families = familiesOf(data);
  const headers = families.map((family) => ({ family, help: family.help }));
  const readings = createReadings(systemClock, createPacking(), () => Number.POSITIVE_INFINITY);
  const publisher = createPublisher(
    () => readings.view(),
    () => headers,
    systemClock,
    (error) => {
      throw error;
    },
  );
  const self = createSelfRegistry(systemClock);
  const route = createMetricsRoute("/metrics", publisher, self);
  const rendererOf = (compress: Deflate) => {
    const renderer = createRenderer(compress);
    return () => renderer.render(headers, readings.view().blocks, new Set(["text"] as const));
  };
  let render: (() => Promise<unknown>) | undefined;
  let publish: (() => Promise<unknown>) | undefined;
  return {
    fill: (round) => {
      for (const [target, samples] of samplesOf(data, families, round)) {
        const id = targetId("key", target);
        const requestedAtMs = Date.now();
        readings.configure(id, target);
        readings.store(
          id,
          { value: ANY_VALUE, requestedAtMs, asOfMs: requestedAtMs, timeToLiveMs: 86_400_000 },
          samples,
        );
      }
      publisher.changed();
    },
    // Without compression, because a registry has none either.
    render: () => (render ??= rendererOf(createTextKeeper()))(),
    publish: () => (publish ??= rendererOf(deflate))(),
    listen: async () => {
      const server = createServer([{ host: "127.0.0.1", port: 0 }], [route], (error) => {
        throw error;
      });
      await server.start();
      return Number(new URL(server.url()).port);
    },
  };
}

/** More than the slices of one rendering. */
const MOST_KEPT = 400;

/** Keeps the text as it is, so that the whole of it lies there in the end. */
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
