import { rateFamilies } from "../../exporter/collectors/analytics-families.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { ofJob } from "../expressions/scope.ts";
import type { Series } from "../promql.ts";

const pair = (series: Series<"model" | "app">) => `max by (model, app) (${ofJob(series, { app: "~$app" })})`;

/** Latency and cache use. Rates cannot be added up, so each pair has its own row. */
export function ratesToday(id: number): PlacedPanel {
  return table({
    id,
    title: "Latency and cache use today, by model and app",
    width: 24,
    shows: "Request latency, and the share of prompt tokens served from a cache, in the current UTC day.",
    read: "Slowest first. These are the gateway's own rates: they cannot be summed over apps, and _other has none.",
    act: "If the cache share is low and prompts are long, move the constant part of the prompts to the front.",
    empty:
      "No rates of today: analytics.rates is not set in the exporter's configuration, or the gateway has not answered yet or fails",
    columns: [
      labelColumn("model", "Model", { width: 300 }),
      labelColumn("app", "App", { width: 300 }),
      valueColumn("Latency, mean", pair(rateFamilies.latencyAvgSeconds), unit.seconds),
      valueColumn("Latency, 90th percentile", pair(rateFamilies.latencyP90Seconds), unit.seconds),
      valueColumn("From cache", pair(rateFamilies.cacheHitRatio), unit.ratio),
    ],
    sortBy: [{ title: "Latency, 90th percentile", desc: true }],
  });
}
