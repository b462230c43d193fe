import { selfFamilies as families } from "../metrics/self-families.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import type { Engine } from "./engine.ts";

/** The metrics of the engine: lag and effective interval by collector, and pauses by endpoint. */
export function registerEngineMetrics(registry: SelfRegistry, engine: Engine): void {
  const byCollector = (milliseconds: (collector: string) => number) =>
    engine.groups.map((collector) => [{ collector }, milliseconds(collector) / 1000] as const);
  registry.gauge(families.pollLag, () => byCollector(engine.lagMs));
  registry.gauge(families.pollInterval, () => byCollector(engine.intervalMs));
  registry.gauge(families.throttledUntil, () =>
    [...engine.throttledUntil()].map(([endpoint, untilMs]) => [{ endpoint }, untilMs / 1000] as const),
  );
}
