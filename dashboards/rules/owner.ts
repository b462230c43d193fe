import { promql } from "../promql.ts";
import { recorded } from "./series.ts";

/** Adds the owner's team to each key of an expression, for the routing of alerts. The value stays. */
export function withKeyTeam(expr: string): string {
  return `${parenthesized(expr)}\n${promql`* on (job, key) group_left (team) ${recorded.keyOwner}`}`;
}

/** The same for budgets; their window comes with it. */
export function withBudgetTeam(expr: string): string {
  return `${parenthesized(expr)}\n${promql`* on (job, budget) group_left (team, window) ${recorded.budgetOwner}`}`;
}

/** The same for probes, by the key that pays; the model and that key come with it. */
export function withProbeTeam(expr: string): string {
  return `${parenthesized(expr)}\n${promql`* on (job, probe) group_left (model, key, team) ${recorded.probeOwner}`}`;
}

function parenthesized(expr: string): string {
  const lines = expr.split("\n").map((line) => `  ${line}`);
  return ["(", ...lines, ")"].join("\n");
}
