import { CONTENT_TYPES } from "../metrics/exposition.ts";
import { gzipWithTail } from "../metrics/gzip.ts";
import type { Publisher } from "../metrics/publisher.ts";
import type { SelfMetrics } from "../metrics/self.ts";
import { acceptedFormat, acceptsGzip } from "./accept.ts";
import type { Overview } from "./overview.ts";
import { renderPage } from "./page.ts";
import { type Answer, type Route, textAnswer } from "./server.ts";

export interface RouteDependencies {
  readonly telemetryPath: string;
  readonly publisher: Publisher;
  readonly self: SelfMetrics;
  readonly overview: () => Overview;
  /** Whether every target was polled once, successful or not. */
  readonly isReady: () => boolean;
}

/** The paths that every Prometheus exporter has. */
export function createRoutes({
  telemetryPath,
  publisher,
  self,
  overview,
  isReady,
}: RouteDependencies): readonly Route[] {
  return [
    {
      path: telemetryPath,
      methods: ["GET"],
      handle: async ({ headers }): Promise<Answer> => {
        const format = acceptedFormat(headers.accept);
        const own = await self.render(format);
        // Taken after the wait, so that nothing ages between the look and the answer.
        const snapshot = publisher.current()[format];
        const common = { "content-type": CONTENT_TYPES[format], vary: "Accept, Accept-Encoding" };
        return acceptsGzip(headers["accept-encoding"]?.toString())
          ? {
              status: 200,
              headers: { ...common, "content-encoding": "gzip" },
              body: gzipWithTail(snapshot, own),
            }
          : { status: 200, headers: common, body: [snapshot.text, own] };
      },
    },
    {
      path: "/",
      methods: ["GET"],
      handle: () => ({
        status: 200,
        headers: { "content-type": "text/html; charset=utf-8" },
        body: [Buffer.from(renderPage(overview(), telemetryPath))],
      }),
    },
    { path: "/-/healthy", methods: ["GET"], handle: () => textAnswer(200, "The exporter is healthy\n") },
    {
      path: "/-/ready",
      methods: ["GET"],
      handle: () =>
        isReady()
          ? textAnswer(200, "The exporter is ready\n")
          : textAnswer(503, "The exporter is not ready: not every key and query was polled yet\n"),
    },
  ];
}
