import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { steps } from "../builder/color.ts";
import type { PlacedPanel } from "../builder/panel.ts";
import { labelColumn, table, valueColumn, valueTexts } from "../builder/table.ts";
import { unit } from "../builder/unit.ts";
import { budgetComplete, budgetSpent } from "../rules/budget-parts.ts";
import { ofJob } from "../expressions/scope.ts";
import { promql, type Series } from "../promql.ts";
import { thresholds } from "../thresholds.ts";

const perBudget = (series: Series) => `max by (job, gateway, budget) (${ofJob(series)})`;
const owner = ofJob(families.info, { team: "~$team", budget: "~$budget" });
const ofOwner = (expr: string) => promql`(${expr} and on (job, gateway, budget) ${owner})`;

const spent = budgetSpent(ofJob);

/** How much of each budget is spent, and the forecast for the end of its window. */
export function budgetTable(id: number): PlacedPanel {
  return table({
    id,
    title: "Budgets",
    width: 24,
    shows:
      "Each budget in the exporter's configuration: its limit, what is spent so far, and the forecast for the end of its window.",
    read: "The forecast of a day or a week follows the previous one, that of a month its mean rate; it is absent in the first tenth of the window. Spent is a lower bound while Figures shows that only a part of it is known.",
    act: "Above 100 %, stop a spender or raise the budget: the gateway does not enforce budgets.",
    empty: "No budget of this selection is configured (budgets in the exporter's configuration)",
    columns: [
      labelColumn("budget", "Budget", { width: 200 }),
      labelColumn("team", "Team", { width: 110 }),
      labelColumn("scope", "Scope", { width: 85 }),
      labelColumn("window", "Window", { width: 80 }),
      valueColumn("Info", `max by (job, gateway, budget, team, scope, window) (${owner})`, unit.none, {
        hidden: true,
      }),
      valueColumn("Limit", ofOwner(perBudget(families.limit)), unit.credits),
      valueColumn("Spent", ofOwner(spent), unit.credits),
      valueColumn("Share", ofOwner(promql`(${spent} / (${perBudget(families.limit)} > 0))`), unit.ratio, {
        width: 200,
        cell: "gauge",
        steps: steps("green", [1 - thresholds.low, "orange"], [1, "red"]),
      }),
      valueColumn("Forecast", ofOwner(perBudget(forecastFamilies.budgetForecast)), unit.credits),
      valueColumn(
        "Forecast share",
        ofOwner(promql`(${perBudget(forecastFamilies.budgetForecast)} / (${perBudget(families.limit)} > 0))`),
        unit.ratio,
        { cell: "text", steps: steps("green", [1, "orange"]) },
      ),
      valueColumn("Figures", ofOwner(budgetComplete(ofJob)), unit.none, {
        cell: "text",
        steps: steps("text"),
        mappings: [valueTexts({ 1: { text: "complete" }, 0: { text: "part of it", color: "orange" } })],
      }),
      valueColumn("Window ends", ofOwner(promql`(1000 * ${perBudget(families.windowEnd)})`), unit.fromNow),
    ],
    hidden: ["job", "gateway"],
    sortBy: [{ title: "Share", desc: true }],
  });
}
