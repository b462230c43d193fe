import { demoPast } from "./demo-past.ts";
import type { Gateway } from "./gateway/gateway.ts";
import type { StageConfig } from "./history/stage-config.ts";
import type { Schedule } from "./history/watched-past.ts";
import { preparePreview } from "./preview/package.ts";
import { startPreviewServer } from "./preview/server.ts";
import { toolPath } from "./support/tools.ts";

/** The dashboards of the demo, with the past of its gateway. */
export interface DemoDashboards {
  /** Draws them with the exporter's figures and returns their URL. */
  show(exporterUrl: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Returns undefined, with a message, if Prometheus is not installed. Call it before the exporter starts,
 * because it sets the gateway's clock back.
 */
export async function prepareDashboards(
  gateway: Gateway,
  fileOf: (schedule: Schedule) => StageConfig,
): Promise<DemoDashboards | undefined> {
  const prometheus = toolPath("prometheus3") ?? toolPath("prometheus2");
  const promtool = toolPath("promtool3") ?? toolPath("promtool2");
  if (prometheus === undefined) {
    say("No dashboards: they need Prometheus, which is not installed (apt-get install prometheus)");
    return undefined;
  }
  const [past] = await Promise.all([
    demoPast({ gateway, fileOf, prometheus, promtool, say }),
    preparePreview(say),
  ]);
  const stops: (() => Promise<void> | void)[] = [];
  return {
    show: async (exporterUrl) => {
      const watching = await past.watch(exporterUrl);
      const server = await startPreviewServer(watching.url);
      stops.push(
        () => server.stop(),
        () => watching.stop(),
      );
      return server.url;
    },
    stop: async () => {
      for (const stop of stops) await stop();
      past.remove();
    },
  };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
