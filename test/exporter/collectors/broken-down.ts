import { type Breakdown, breakdown, cutPairs } from "../../../exporter/collectors/breakdown.ts";
import type { Usage } from "../../../exporter/gateway/port.ts";

/** An answer cut and broken down, as the collector does it. */
export function brokenDown(answer: Usage, top: number): Breakdown {
  return breakdown(answer, cutPairs(answer, top));
}
