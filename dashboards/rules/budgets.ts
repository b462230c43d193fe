import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { uids } from "../uids.ts";
import { HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { budgetComplete, budgetSpent } from "./budget-parts.ts";
import { promql, type Series } from "../promql.ts";
import { figures } from "./figures.ts";
import { outlookOf } from "./outlook.ts";
import { BUDGET, budgetsWith, GATEWAY, ofBudgetOwner } from "./owner.ts";
import { record, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** The spend of each budget over all shards, and the alerts on budgets. */
export function budgets(settings: Settings): RuleGroup {
  const { timing } = settings;
  const alert = (definition: AlertDefinition) =>
    createAlert(settings, { uid: uids.overview, labels: ["job", "budget"] }, definition);
  const read = (series: Series) => `last_over_time(${series.name}[${timing.memory}])`;
  return {
    name: "aigateway-budgets",
    comment: "Budgets: the spend of each, whether it is above the limit or will be.",
    interval: timing.duration(MINUTE),
    rules: [
      record(
        recorded.budgetSpent,
        "Credits spent in the window: of the process that knows all of it, or the sum over shards.",
        budgetSpent(read),
      ),
      record(
        recorded.budgetComplete,
        "Whether the spend is complete: no part is missing, of any shard.",
        budgetComplete(read),
      ),
      ...[exceeded, threshold, forecastExceeded, incomplete, imminent, predicted].map((define) =>
        alert(define(timing)),
      ),
    ],
  };
}

const perBudget = (series: Series) => promql`max by (job, gateway, budget) (${series})`;

function exceeded(timing: Timing): AlertDefinition {
  const limit = promql`max by (job, gateway, budget) (last_over_time(${families.limit}[${timing.memory}]))`;
  return {
    name: "AIGatewayBudgetExceeded",
    severity: "warning",
    fires: "A budget is exceeded.",
    expr: ofBudgetOwner(timing, promql`(${recorded.budgetSpent} / ${limit} > 1)`),
    for: 5 * MINUTE,
    summary: `Budget {{ $labels.budget }} is exceeded: {{ $value | humanizePercentage }} is spent`,
    description: `${BUDGET} is exceeded: {{ $value | humanizePercentage }} of its limit is spent{{ if ne $labels.window "total" }}, and its window ({{ $labels.window }}) has not ended{{ end }}. {{ if and (eq $labels.scope "account") (eq $labels.window "total") }}If the limit is what the account bought, every call fails (402): buy credits, and raise the limit unless it is "bought". Otherwise find{{ else }}The gateway does not stop the spending: find{{ end }} out ${SPENDER}, or raise the limit.`,
  };
}

/** One alert for each threshold, so that each is announced. */
function threshold({ memory }: Timing): AlertDefinition {
  const limit = promql`max by (job, gateway, budget) (last_over_time(${families.limit}[${memory}]))`;
  return {
    name: "AIGatewayBudgetThreshold",
    severity: "info",
    fires: "The spend of a budget has reached one of its thresholds.",
    expr: promql`
      max by (job, gateway, budget, scope, window, team, at) (
        ${recorded.budgetSpent} / ${limit} >= on (job, gateway, budget) group_right () last_over_time(${families.threshold}[${memory}])
      )`,
    for: 5 * MINUTE,
    summary: `Budget {{ $labels.budget }} has reached {{ $labels.at }} %: {{ $value | humanizePercentage }} is spent`,
    description: `${BUDGET} has reached {{ $labels.at }} % of its limit: {{ $value | humanizePercentage }} is spent in its window ({{ $labels.window }}). To find out ${SPENDER}, look at the dashboard.`,
  };
}

/** Who to look for, by what the budget covers. */
const SPENDER = `{{ if eq $labels.scope "keys" }}which of its keys spends most{{ else if eq $labels.scope "model" }}which key or app uses the model most{{ else if eq $labels.scope "app" }}which model of the app costs most{{ else }}which key of the account spends most{{ end }}`;

/** No keep_firing_for: the alert would carry over into the next window. */
function forecastExceeded(timing: Timing): AlertDefinition {
  const [start, end] = [perBudget(families.windowStart), perBudget(families.windowEnd)];
  const left = promql`(${end} - ${timing.now}) / (${end} - ${start})`;
  return {
    name: "AIGatewayBudgetForecastExceeded",
    severity: "info",
    fires: "A budget will be exceeded when its window ends.",
    expr: ofBudgetOwner(
      timing,
      promql`
        (${perBudget(forecastFamilies.budgetForecast)} / ${perBudget(families.limit)} > 1 + ${thresholds.budgetMargin} * ${left})
        unless on (job, gateway, budget) ${recorded.budgetSpent} > ${perBudget(families.limit)}`,
    ),
    for: HOUR,
    summary: `Budget {{ $labels.budget }} will be at {{ $value | humanizePercentage }} of its limit when its window ends`,
    description: `${BUDGET} will be at {{ $value | humanizePercentage }} of its limit when its window ({{ $labels.window }}) ends, if the spending continues as before. Find out who spends most, and talk to them, or raise the limit.`,
  };
}

function incomplete(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayBudgetIncomplete",
    severity: "warning",
    fires: "Part of the spend of a budget is unknown.",
    expr: budgetsWith(timing, promql`${recorded.budgetComplete} == 0`),
    for: 30 * MINUTE,
    summary: `Part of the spend of budget {{ $labels.budget }} is unknown`,
    description: `${BUDGET} may be exceeded unnoticed: its spend is only a lower bound, because {{ if eq $labels.scope "keys" }}a key cannot be polled or a shard is missing{{ else }}an answer of the gateway is missing, old or incomplete{{ end }}. The status page names it.`,
  };
}

const { state, announced } = outlookOf(
  forecastFamilies.budgetOutlook,
  forecastFamilies.budgetExhaustion,
  "aigateway_budget_outlook",
);

const FIGURES = figures(["job", "gateway", "budget"], {
  left: (of) => `max(${families.limit.name}${of}) - max(${families.spent.name}${of})`,
  exhaustion: (of) => `min(${forecastFamilies.budgetExhaustion.name}${of})`,
});

const REFUSED = "then the gateway refuses every call of the account (402)";
const RAISE = 'after a purchase, raise the limit of the budget unless it is "bought"';

function imminent(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionImminent",
    severity: "critical",
    fires: "A prepaid balance is about to run out.",
    expr: budgetsWith(timing, state(timing, "imminent", "exhausted"), announced(timing)),
    for: 2 * MINUTE,
    summary: FIGURES("Budget {{ $labels.budget }}", timing, "is about to run out"),
    description: `The prepaid balance {{ $labels.budget }}${GATEWAY} is about to run out, or has run out since this alert began; ${REFUSED}. Buy credits now, or find out what is spending and stop it; ${RAISE}.`,
  };
}

function predicted(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionPredicted",
    severity: "warning",
    fires: "A prepaid balance will run out within a week.",
    expr: budgetsWith(timing, state(timing, "slow", "predicted", "imminent", "exhausted"), announced(timing)),
    for: 2 * MINUTE,
    summary: FIGURES("Budget {{ $labels.budget }}", timing, "will run out within a week"),
    description: `The prepaid balance {{ $labels.budget }}${GATEWAY} runs out within a week, or has run out since this alert began; ${REFUSED}. Buy credits before; ${RAISE}.`,
  };
}
