import { renderRuleFile } from "../../dashboards/rules/file.ts";
import { createRules } from "../../dashboards/rules/index.ts";
import { isAlert, type Rule, type RuleGroup } from "../../dashboards/rules/rule.ts";

/**
 * The rule file that the simulator judges: the groups up to the alerts on remaining credits, without the
 * rules that only dashboards and other groups use. They come from the same source as the shipped rules, at
 * half the cost.
 */
export function judgedRules(groups: Groups = createRules()): string {
  const last = groups.findIndex(({ name }) => name === "aigateway-key-reserves");
  const judged = groups.slice(0, last + 1);
  return renderUsed(judged, ({ rules }) => rules.filter(isAlert));
}

/** The rule file that the simulator judges on anomalies of spend. */
export function anomalyRules(): string {
  return rulesOf(/^AIGatewayKeySpendAnomaly$/);
}

/** The rule file that the simulator judges on budgets. */
export function budgetRules(): string {
  return rulesOf(/^AIGatewayBudgetForecastExceeded$/);
}

/** The rule file that the simulator judges on the balance of accounts. */
export function accountRules(): string {
  return rulesOf(/^AIGatewayAccountExhaust/);
}

/** Some alerts, and the series that they use. */
function rulesOf(alerts: RegExp): string {
  return renderUsed(createRules(), ({ rules }) =>
    rules.filter((rule) => isAlert(rule) && alerts.test(rule.alert)),
  );
}

/** The groups with these alerts and the series that they use. */
function renderUsed(groups: Groups, alertsOf: (group: Groups[number]) => Rules): string {
  const used = usedExpressions(
    groups.flatMap(({ rules }) => rules),
    groups.flatMap(alertsOf),
  );
  const judged = groups.map((group) => ({
    ...group,
    rules: group.rules.filter(({ expr }) => used.has(expr)),
  }));
  return renderRuleFile(judged.filter(({ rules }) => rules.length > 0));
}

type Groups = readonly RuleGroup[];
type Rules = readonly Rule[];

/** The expressions of the alerts, and of the recorded series that they use, directly or not. */
function usedExpressions(rules: Rules, alerts: Rules): ReadonlySet<string> {
  const used = new Set(alerts.map(({ expr }) => expr));
  // A set also visits what is added during the iteration.
  for (const expr of used) {
    for (const rule of rules) {
      if (!isAlert(rule) && names(expr, rule.record)) used.add(rule.expr);
    }
  }
  return used;
}

/** One name may be the beginning of another. */
function names(expr: string, series: string): boolean {
  return new RegExp(`${series}(?![\\w:])`).test(expr);
}
