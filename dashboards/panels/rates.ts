import { rateFamilies } from "../../exporter/collectors/analytics-families.ts";
import type { PlacedPanel } from "../board/panel.ts";
import { labelColumn, table, valueColumn } from "../board/table.ts";
import { unit } from "../board/unit.ts";
import { ofJob } from "../expressions/scope.ts";
import type { Series } from "../promql.ts";

const pair = (series: Series<"model" | "app">) => `max by (model, app) (${ofJob(series, { app: "~$app" })})`;

/** Speed and use of caches. Rates cannot be added up, so there is a row for each pair. */
export function ratesToday(id: number): PlacedPanel {
  return table({
    id,
    title: "Speed and cache today, by model and app",
    width: 24,
    shows: "Latency of requests and share of prompt tokens that came from a cache, in the current UTC day.",
    read: "Slowest first. These are the gateway's own rates; they are not added up over apps, and _other has none.",
    act: "A low share from the cache with long prompts: reorder prompts so that what stays the same comes first.",
    empty: "Set analytics.rates in the exporter's configuration to see this",
    columns: [
      labelColumn("model", "Model", { width: 300 }),
      labelColumn("app", "App", { width: 300 }),
      valueColumn("Latency, mean", pair(rateFamilies.latencyAvgSeconds), unit.seconds),
      valueColumn("Latency, 9 of 10", pair(rateFamilies.latencyP90Seconds), unit.seconds),
      valueColumn("From cache", pair(rateFamilies.cacheHitRatio), unit.ratio),
    ],
    sortBy: [{ title: "Latency, 9 of 10", desc: true }],
  });
}
