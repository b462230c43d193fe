import type { VariableModel } from "@grafana/grafana-foundation-sdk/dashboard";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { one } from "../builder/variables.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql, type Series } from "../promql.ts";
import { ownQueryFamilies as families } from "../../exporter/collectors/analytics-families.ts";

/** Selects a query of the configuration; the built-in ones have tables of their own. */
export const queryChoice: VariableModel = one(
  "query",
  "Query",
  "query",
  families.credits,
  "keys-day|keys-month",
);

/** Keeps all labels, because each query has its own. */
const rows = (series: Series<"query">) => `max without (instance) (${ofJob(series, { query: "$query" })})`;

/**
 * The dimensions of the gateway, in the order of the columns. A query has one or two of them; other ones come
 * last, untitled.
 */
const DIMENSIONS = {
  api_key: "Key name",
  user: "User",
  workspace: "Workspace",
  app: "App",
  provider: "Provider",
  model: "Model",
  variant: "Variant",
  origin: "Origin",
  country: "Country",
  finish_reason: "Finish reason",
  external_user: "External user",
  context_length_bucket: "Context length",
  data_region: "Data region",
  streamed: "Streamed",
} as const;

/** The rows of a query of the configuration, whatever its dimensions are. */
export function ownQuery(id: number): PlacedPanel {
  const credits = rows(families.credits);
  return table({
    id,
    title: "Rows of the selected query",
    width: 24,
    shows:
      "The rows of the query that is selected at the top: one column for each of its dimensions, such as user, provider or workspace.",
    read: "Most expensive first. The window is that of the query. _other is the sum of the rows beyond the query's top; _none means that the gateway sent no name.",
    act: "Select another query at the top. Queries are configured in analytics.queries.",
    empty:
      "No query by user, provider or another dimension is configured (analytics.queries), or the gateway has not answered it yet",
    columns: [
      ...Object.entries(DIMENSIONS).map(([label, title]) => labelColumn(label, title)),
      valueColumn("Credits", credits, unit.credits),
      valueColumn("Share", promql`${credits} / on () group_left () (sum(${credits}) > 0)`, unit.ratio, {
        width: 220,
        cell: "gauge",
        steps: steps("blue"),
      }),
      valueColumn("Requests", rows(families.requests), unit.count),
      valueColumn("Tokens", rows(families.tokens), unit.amount),
    ],
    hidden: ["job", "gateway", "query"],
    sortBy: [{ title: "Credits", desc: true }],
  });
}
