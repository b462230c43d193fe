import { CONTENT_TYPES } from "../metrics/render/exposition.ts";
import type { Publisher } from "../metrics/render/publisher.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import { acceptedFormat, acceptsGzip } from "./accept.ts";
import type { Answer, Route } from "./route.ts";

/** The telemetry path: the published text, followed by the exporter's own metrics. */
export function createMetricsRoute(
  path: string,
  publisher: Publisher,
  self: Pick<SelfRegistry, "parts">,
): Route {
  return {
    path,
    methods: ["GET"],
    handle: async ({ headers }): Promise<Answer> => {
      const format = acceptedFormat(headers.accept);
      const { runtime, own } = await self.parts(format);
      // Read last, so that no value can expire during a later await.
      const ready = await publisher.current(format);
      const common = { "content-type": CONTENT_TYPES[format], vary: "Accept, Accept-Encoding" };
      return acceptsGzip(headers["accept-encoding"]?.toString())
        ? {
            status: 200,
            headers: { ...common, "content-encoding": "gzip" },
            body: ready.gzipWith(runtime.piece, own),
          }
        : { status: 200, headers: common, body: [...(await ready.text()), runtime.text, own] };
    },
  };
}
