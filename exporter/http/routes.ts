import type { Publisher } from "../metrics/render/publisher.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import type { Overview } from "../status/overview.ts";
import { createMetricsRoute } from "./metrics-route.ts";
import { get, type Route, textAnswer } from "./route.ts";
import { createStatusRoutes } from "./status-routes.ts";

export interface RouteDependencies {
  readonly telemetryPath: string;
  readonly publisher: Publisher;
  readonly self: SelfRegistry;
  readonly overview: () => Overview;
  /** Whether every target was polled at least once, successfully or not. */
  readonly isReady: () => boolean;
  readonly lifecycle: Lifecycle;
}

/** The operations of `--web.enable-lifecycle`. */
export interface Lifecycle {
  readonly isEnabled: boolean;
  /** Reloads the configuration. Returns the problems that prevented it, without secrets; empty after a success. */
  readonly reload: () => Promise<readonly string[]>;
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
    ...createStatusRoutes(overview, telemetryPath),
    // Healthy means only that the server answers, because a restart would not repair a gateway or a key.
    get("/-/healthy", () => textAnswer(200, "The exporter is healthy\n")),
    get("/-/ready", () =>
      isReady()
        ? textAnswer(200, "The exporter is ready\n")
        : textAnswer(503, "The exporter is not ready: some keys or queries have not been polled yet\n"),
    ),
    reloadRoute(lifecycle),
  ];
}

/** `/-/reload`, as in Prometheus. */
function reloadRoute({ isEnabled, reload }: Lifecycle): Route {
  return {
    path: "/-/reload",
    methods: ["POST", "PUT"],
    handle: async () => {
      if (!isEnabled) return textAnswer(403, "Lifecycle API is not enabled (--web.enable-lifecycle)\n");
      const problems = await reload();
      if (problems.length === 0) return textAnswer(200, "Configuration reloaded\n");
      return textAnswer(
        500,
        ["Cannot reload; the running configuration is unchanged", ...problems, ""].join("\n"),
      );
    },
  };
}
