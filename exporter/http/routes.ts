import type { Publisher } from "../metrics/render/publisher.ts";
import type { SelfMetrics } from "../metrics/self.ts";
import { textAnswer } from "./answer.ts";
import { createMetricsRoute } from "./metrics-route.ts";
import type { Overview } from "../status/overview.ts";
import { createReloadRoute, type Lifecycle } from "./reload-route.ts";
import type { Route } from "./server.ts";

export interface RouteDependencies {
  readonly telemetryPath: string;
  readonly publisher: Publisher;
  readonly self: SelfMetrics;
  readonly overview: () => Overview;
  /** Whether every target was polled once, successful or not. */
  readonly isReady: () => boolean;
  readonly lifecycle: Lifecycle;
}

/** The paths that every Prometheus exporter has. */
export function createRoutes({
  telemetryPath,
  publisher,
  self,
  overview,
  isReady,
  lifecycle,
}: RouteDependencies): readonly Route[] {
  return [
    createMetricsRoute(telemetryPath, publisher, self),
    {
      path: "/",
      methods: ["GET"],
      handle: async () => {
        // Most instances are never looked at by a person, and the page's formats cost more to load than to use.
        const { renderPage } = await import("../status/page/page.ts");
        return {
          status: 200,
          headers: { "content-type": "text/html; charset=utf-8" },
          body: [Buffer.from(renderPage(overview(), telemetryPath))],
        };
      },
    },
    // That it answers, and no more: a restart mends neither a gateway nor a key.
    { path: "/-/healthy", methods: ["GET"], handle: () => textAnswer(200, "The exporter is healthy\n") },
    {
      path: "/-/ready",
      methods: ["GET"],
      handle: () =>
        isReady()
          ? textAnswer(200, "The exporter is ready\n")
          : textAnswer(503, "The exporter is not ready: not every key and query was polled yet\n"),
    },
    createReloadRoute(lifecycle),
  ];
}
