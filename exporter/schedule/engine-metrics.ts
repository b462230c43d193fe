import { selfFamilies as families } from "../metrics/self-families.ts";
import type { SelfRegistry } from "../metrics/self-registry.ts";
import type { Engine } from "./engine.ts";

/** Shows how the engine keeps up: by collector, and by endpoint where the gateway asked to wait. */
export function registerEngineMetrics(registry: SelfRegistry, engine: Engine): void {
  registry.gauge(families.pollLag, (gauge) => {
    gauge.reset();
    for (const collector of engine.groups) gauge.set({ collector }, engine.lagMs(collector) / 1000);
  });
  registry.gauge(families.pollInterval, (gauge) => {
    gauge.reset();
    for (const collector of engine.groups) gauge.set({ collector }, engine.intervalMs(collector) / 1000);
  });
  registry.gauge(families.throttledUntil, (gauge) => {
    gauge.reset();
    for (const [endpoint, untilMs] of engine.throttledUntil()) gauge.set({ endpoint }, untilMs / 1000);
  });
}
