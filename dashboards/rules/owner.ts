import { promql } from "../promql.ts";
import { recorded } from "./series.ts";

/** The owner's team in parentheses; empty without a team. */
const TEAM = "{{ with $labels.team }} (team {{ . }}){{ end }}";

/** " at GATEWAY", if the scrape configuration names the gateway. */
export const GATEWAY = "{{ with $labels.gateway }} at {{ . }}{{ end }}";

/** The gateway that refuses or lags, with its name if the scrape configuration has one. */
export const THE_GATEWAY = "the gateway{{ with $labels.gateway }} {{ . }}{{ end }}";

/** A probe, its gateway, and the key and the team that pay for it. */
export const PROBE = `probe {{ $labels.probe }}${GATEWAY} (key {{ $labels.key }}{{ with $labels.team }}, team {{ . }}{{ end }})`;

/** The exporter of an alert, and the gateway that it polls. */
export const EXPORTER = "{{ $labels.job }}{{ with $labels.gateway }} ({{ . }}){{ end }}";

/** The beginning of a description of a key's alert, with the owner's team if there is one. */
export const KEY = `Key {{ $labels.key }}${GATEWAY}${TEAM}`;

/** The beginning of a description of a budget's alert, with its team if there is one. */
export const BUDGET = `Budget {{ $labels.budget }}${GATEWAY}${TEAM}`;

/** The same for a prepaid balance. */
export const BALANCE = `The prepaid balance {{ $labels.budget }}${GATEWAY}${TEAM}`;

/** Adds the owner's team to each key of an expression, so that alerts can be routed by it. The value is unchanged. */
export function withKeyTeam(expr: string): string {
  return `${parenthesized(expr)}\n${promql`* on (job, gateway, key) group_left (team) ${recorded.keyOwner}`}`;
}

/** Adds team, scope and window to each budget of an expression. */
export function withBudgetTeam(expr: string): string {
  return `${parenthesized(expr)}\n${promql`* on (job, gateway, budget) group_left (team, scope, window) ${recorded.budgetOwner}`}`;
}

/** Adds the model, the key that pays and that key's team to each probe of an expression. */
export function withProbeTeam(expr: string): string {
  return `${parenthesized(expr)}\n${promql`* on (job, gateway, probe) group_left (model, key, team) ${recorded.probeOwner}`}`;
}

function parenthesized(expr: string): string {
  const lines = expr.split("\n").map((line) => `  ${line}`);
  return ["(", ...lines, ")"].join("\n");
}
