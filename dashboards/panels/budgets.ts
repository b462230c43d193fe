import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql, type Series } from "../promql.ts";
import { recorded } from "../rules/series.ts";
import { thresholds } from "../thresholds.ts";

const perBudget = (series: Series) => `max by (job, budget) (${ofJob(series)})`;
const owner = ofJob(families.info, { team: "~$team", budget: "~$budget" });
const ofOwner = (expr: string) => promql`(${expr} and on (job, budget) ${owner})`;

/** How much of each budget is spent, and the forecast for the end of its window. */
export function budgetTable(id: number): PlacedPanel {
  return table({
    id,
    title: "Budgets",
    width: 24,
    shows:
      "Each budget in the exporter's configuration: its limit, what is spent so far, and the forecast for the end of its window.",
    read: "The forecast assumes the window's mean rate; it is absent in the first tenth of the window. Spent is a lower bound if data are missing.",
    act: "Above 100 %, stop a spender or raise the budget: the gateway does not enforce budgets.",
    empty: "No budget is configured (budgets in the exporter's configuration)",
    columns: [
      labelColumn("budget", "Budget", { width: 200 }),
      labelColumn("team", "Team", { width: 110 }),
      labelColumn("scope", "Scope", { width: 85 }),
      labelColumn("window", "Window", { width: 80 }),
      valueColumn("Info", `max by (job, budget, team, scope, window) (${owner})`, unit.none, {
        hidden: true,
      }),
      valueColumn("Limit", ofOwner(perBudget(families.limit)), unit.credits),
      valueColumn("Spent", ofOwner(perBudget(families.spent)), unit.credits),
      valueColumn(
        "Share",
        ofOwner(promql`(${perBudget(families.spent)} / (${perBudget(families.limit)} > 0))`),
        unit.ratio,
        { width: 200, cell: "gauge", steps: steps("green", [1 - thresholds.low, "orange"], [1, "red"]) },
      ),
      valueColumn("Forecast", ofOwner(perBudget(recorded.budgetForecast)), unit.credits),
      valueColumn(
        "Forecast share",
        ofOwner(promql`(${ofJob(recorded.budgetForecast)} / (${ofJob(recorded.budgetLimit)} > 0))`),
        unit.ratio,
        { cell: "text", steps: steps("green", [1, "orange"]) },
      ),
      valueColumn("Figures", ofOwner(perBudget(families.complete)), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts({ 1: { text: "complete" }, 0: { text: "lower bound", color: "orange" } })],
      }),
      valueColumn("Window ends", ofOwner(promql`(1000 * ${perBudget(families.windowEnd)})`), unit.fromNow),
    ],
    hidden: ["job"],
    sortBy: [{ title: "Share", desc: true }],
  });
}
