import { CONTENT_TYPES } from "../metrics/render/exposition.ts";
import { gzipWithTail } from "../metrics/render/gzip.ts";
import type { Publisher } from "../metrics/render/publisher.ts";
import type { SelfMetrics } from "../metrics/self.ts";
import { acceptedFormat, acceptsGzip } from "./accept.ts";
import type { Answer } from "./answer.ts";
import type { Route } from "./server.ts";

/** The telemetry path: what is published, as it lies ready, and the exporter's own metrics behind it. */
export function createMetricsRoute(path: string, publisher: Publisher, self: SelfMetrics): Route {
  return {
    path,
    methods: ["GET"],
    handle: async ({ headers }): Promise<Answer> => {
      const format = acceptedFormat(headers.accept);
      const { runtime, own } = await self.parts(format);
      // Taken after the wait, so that nothing ages between the look and the answer.
      const ready = await publisher.current(format);
      const common = { "content-type": CONTENT_TYPES[format], vary: "Accept, Accept-Encoding" };
      return acceptsGzip(headers["accept-encoding"]?.toString())
        ? {
            status: 200,
            headers: { ...common, "content-encoding": "gzip" },
            body: gzipWithTail(ready, runtime.piece, own),
          }
        : { status: 200, headers: common, body: [...(await ready.text()), runtime.text, own] };
    },
  };
}
