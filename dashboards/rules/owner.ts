import { budgetFamilies } from "../../exporter/budgets/families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { probeFamilies } from "../../exporter/probes/families.ts";
import { promql, type Series } from "../promql.ts";
import type { Timing } from "./timing.ts";

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

/** Where to look for the reason of missing answers. */
export const LOOK = "The status page names the cause and what to do.";

/** A key, with the owner's team if there is one. */
export const KEY = `Key {{ $labels.key }}${GATEWAY}${TEAM}`;

/** A budget, with its team if there is one. */
export const BUDGET = `Budget {{ $labels.budget }}${GATEWAY}${TEAM}`;

/**
 * The info series of keys and of budgets, whose labels an alert gets. They are the many side of the match: two
 * owners of one key, as during a rollout, are two alerts and no error.
 */
const ofKey: Owner = {
  info: keyFamilies.ownerInfo,
  on: "job, gateway, key",
  labels: "job, gateway, key, team",
};
const ofBudget: Owner = {
  info: budgetFamilies.info,
  on: "job, gateway, budget",
  labels: "job, gateway, budget, scope, window, team",
};

interface Owner {
  readonly info: Series;
  readonly on: string;
  readonly labels: string;
}

/** Keys for which all conditions hold, with the owner's team, so that alerts can be routed by it. The value is 1. */
export function keysWith(timing: Timing, ...conditions: readonly string[]): string {
  return withConditions(timing, ofKey, conditions);
}

/** The same for budgets, with their scope and window. */
export function budgetsWith(timing: Timing, ...conditions: readonly string[]): string {
  return withConditions(timing, ofBudget, conditions);
}

function withConditions(
  { memory }: Timing,
  { info, on, labels }: Owner,
  conditions: readonly string[],
): string {
  const lines = conditions.map((condition) =>
    condition.startsWith("unless ")
      ? `  unless on (${on}) ${condition.slice("unless ".length)}`
      : `  and on (${on}) ${condition}`,
  );
  return [`max by (${labels}) (`, `  last_over_time(${info.name}[${memory}])`, ...lines, ")"].join("\n");
}

/** Adds the label `team` to an expression with one value for each key, and keeps its values. */
export function ofKeyOwner(timing: Timing, expr: string): string {
  return withValue(timing, ofKey, expr);
}

/** Adds team, scope and window to an expression with one value for each budget. */
export function ofBudgetOwner(timing: Timing, expr: string): string {
  return withValue(timing, ofBudget, expr);
}

function withValue({ memory }: Timing, { info, on, labels }: Owner, expr: string): string {
  const lines = expr.split("\n").map((line) => `  ${line}`);
  const owner = `last_over_time(${info.name}[${memory}])`;
  return [`max by (${labels}) (`, `  ${owner} * on (${on}) group_left ()`, ...lines, ")"].join("\n");
}

/**
 * Adds the model, the key that pays and that key's team to an expression with one value for each probe. Of two owners
 * of a key, as during a rollout, one is chosen.
 */
export function ofProbeOwner({ memory }: Timing, expr: string): string {
  const one = promql`topk by (job, gateway, probe) (1, last_over_time(${probeFamilies.info}[${memory}]))`;
  return `(${expr})\n* on (job, gateway, probe) group_left (model, key, team) ${one}`;
}
