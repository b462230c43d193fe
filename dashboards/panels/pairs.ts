import { usageFamiliesOf } from "../../exporter/collectors/analytics-families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql, type Series } from "../promql.ts";
import { NO_ANALYTICS } from "./analytics-state.ts";

const { credits, requests, tokens } = usageFamiliesOf.month;

const amount = (series: Series<"model" | "app">) =>
  `sum by (app, model) (max by (job, gateway, model, app) (${ofJob(series, { model: "~$model" })}))`;

/** Spend by pair of app and model. */
export function pairs(id: number): PlacedPanel {
  return table({
    id,
    title: "This month by app and model",
    width: 24,
    shows: "Which app uses which model, and what that costs in the current UTC month.",
    read: "Most expensive first. _other is the sum of the pairs beyond analytics.top; _none is usage without an app.",
    act: "Where an app uses an expensive model for short answers, ask whether a cheaper one would do.",
    empty: NO_ANALYTICS,
    columns: [
      labelColumn("app", "App", { width: 280 }),
      labelColumn("model", "Model", { width: 280 }),
      valueColumn("Credits", amount(credits), unit.credits),
      valueColumn(
        "Share",
        promql`${amount(credits)} / on () group_left () (sum(${amount(credits)}) > 0)`,
        unit.ratio,
        { width: 200, cell: "gauge", steps: steps("blue") },
      ),
      valueColumn("Requests", amount(requests), unit.count),
      valueColumn("Tokens", amount(tokens), unit.amount),
      valueColumn(
        "Per request",
        promql`(${amount(credits)} >= 0) / (${amount(requests)} > 0)`,
        unit.perRequest,
      ),
    ],
    sortBy: [{ title: "Credits", desc: true }],
  });
}
