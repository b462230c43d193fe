import { createRequire } from "node:module";

/**
 * Leaves out prom-client's metrics of the process: they come from threads and from timers that never end, and a world
 * has thousands of exporters. Must be called before the exporter is imported.
 */
export function withoutRuntimeMetrics(): true {
  Object.assign(createRequire(import.meta.url)("prom-client"), { collectDefaultMetrics: () => {} });
  return true;
}

/** Imported first, so that it comes before the exporter. */
export const IS_WITHOUT_RUNTIME_METRICS = withoutRuntimeMetrics();
