import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { forecastFamilies } from "../../exporter/forecast/families.ts";
import { uids } from "../uids.ts";
import { HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { budgetComplete, budgetSpent } from "./budget-parts.ts";
import { promql, type Series } from "../promql.ts";
import { figures } from "./figures.ts";
import { outlookOf } from "./outlook.ts";
import { BUDGET, budgetsWith, GATEWAY, ofBudgetOwner } from "./owner.ts";
import type { RuleGroup } from "./rule.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Alerts on budgets. */
export function budgets(settings: Settings): RuleGroup {
  const { timing } = settings;
  const alert = (definition: AlertDefinition) =>
    createAlert(settings, { uid: uids.overview, labels: ["job", "budget"] }, definition);
  return {
    name: "aigateway-budgets",
    comment: "Budgets: the spend of each, whether it is above the limit or will be.",
    interval: timing.duration(MINUTE),
    rules: [exceeded, threshold, forecastExceeded, incomplete, imminent, predicted].map((define) =>
      alert(define(timing)),
    ),
  };
}

/** The last values count. */
const readOf =
  ({ memory }: Timing) =>
  (series: Series) =>
    `last_over_time(${series.name}[${memory}])`;

/** The spent share of each limit. */
function share(timing: Timing): string {
  const read = readOf(timing);
  return `${budgetSpent(read)}\n  / max by (job, gateway, budget) (${read(families.limit)})`;
}

const SPENT = figures(["job", "gateway", "budget"], {
  left: (of) => `max(${families.spent.name}${of})`,
  limit: (of) => `max(${families.limit.name}${of})`,
  reset: (of) => `max(${families.windowEnd.name}${of})`,
  words: { amount: "spent", reset: "ends" },
});
const SHARE = "({{ $value | humanizePercentage }})";

function exceeded(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayBudgetExceeded",
    severity: "warning",
    fires: "A budget is exceeded.",
    expr: ofBudgetOwner(timing, `(${share(timing)} > 1)`),
    for: 5 * MINUTE,
    summary: SPENT("Budget {{ $labels.budget }} is exceeded", timing, SHARE),
    description: `${BUDGET} is exceeded. Find out what spends most, or raise the limit. The gateway stops nothing, unless the limit is what the account has bought (402).`,
  };
}

/** One alert for each threshold, so that each is announced. */
function threshold(timing: Timing): AlertDefinition {
  const { memory } = timing;
  return {
    name: "AIGatewayBudgetThreshold",
    severity: "info",
    fires: "The spend of a budget has reached one of its thresholds.",
    expr: [
      "max by (job, gateway, budget, scope, window, team, at) (",
      `  ${share(timing)}`,
      promql`  >= on (job, gateway, budget) group_right () last_over_time(${families.threshold}[${memory}])`,
      ")",
    ].join("\n"),
    for: 5 * MINUTE,
    summary: SPENT("Budget {{ $labels.budget }} has reached {{ $labels.at }} %", timing, SHARE),
    description: `${BUDGET} has reached {{ $labels.at }} % of its limit. The dashboard shows what spends most.`,
  };
}

/** No keep_firing_for: the alert would carry over into the next window. */
function forecastExceeded(timing: Timing): AlertDefinition {
  const left = promql`(${families.windowEnd} - ${timing.now}) / (${families.windowEnd} - ${families.windowStart})`;
  return {
    name: "AIGatewayBudgetForecastExceeded",
    severity: "info",
    fires: "A budget will be exceeded when its window ends.",
    expr: ofBudgetOwner(
      timing,
      promql`
        max by (job, gateway, budget) (${forecastFamilies.budgetForecast} / ${families.limit} > 1 + ${thresholds.budgetMargin} * ${left}
        unless ${families.spent} > ${families.limit})`,
    ),
    for: HOUR,
    summary: SPENT(
      "Budget {{ $labels.budget }} will be at {{ $value | humanizePercentage }} of its limit",
      timing,
      "when its window ends",
    ),
    description: `${BUDGET} will be exceeded when its window ({{ $labels.window }}) ends, if the spending continues as before. Talk to those who spend most, or raise the limit.`,
  };
}

function incomplete(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayBudgetIncomplete",
    severity: "warning",
    fires: "Part of the spend of a budget is unknown.",
    expr: budgetsWith(timing, `${budgetComplete(readOf(timing))} == 0`),
    for: 30 * MINUTE,
    summary: `Part of the spend of budget {{ $labels.budget }} is unknown`,
    description: `${BUDGET} may be exceeded unnoticed: its spend is only a lower bound, because an answer is missing, old or incomplete. The status page names it.`,
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
const RAISE = 'then raise the limit unless it is "bought"';

function imminent(timing: Timing): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionImminent",
    severity: "critical",
    fires: "A prepaid balance is about to run out.",
    expr: budgetsWith(timing, state(timing, "imminent", "exhausted"), announced(timing)),
    for: 2 * MINUTE,
    summary: FIGURES("Budget {{ $labels.budget }}", timing, "is about to run out"),
    description: `The prepaid balance {{ $labels.budget }}${GATEWAY} is about to run out, or has run out since this alert began; ${REFUSED}. Buy credits now, ${RAISE}, or find out what is spending and stop it.`,
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
    description: `The prepaid balance {{ $labels.budget }}${GATEWAY} runs out within a week, or has run out since this alert began; ${REFUSED}. Buy credits before, ${RAISE}.`,
  };
}
