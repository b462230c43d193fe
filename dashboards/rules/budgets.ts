import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { uids } from "../uids.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { budgetForecast, budgetWindowLeft } from "./budget-forecast.ts";
import { budgetComplete, budgetSpent } from "./budget-parts.ts";
import { promql, select, type Series } from "../promql.ts";
import { BALANCE, BUDGET, withBudgetTeam } from "./owner.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Recording rules for the spend and the forecast of each budget, and the alerts on them. */
export function budgets(settings: Settings): RuleGroup {
  const alert = (definition: AlertDefinition) =>
    createAlert(
      settings,
      { uid: uids.overview, label: "budget" },
      { ...definition, expr: withBudgetTeam(definition.expr) },
    );
  const { timing } = settings;
  return {
    name: "aigateway-budgets",
    comment: "Budgets: the spend and the forecast of each.",
    interval: timing.duration(MINUTE),
    rules: [
      ...amounts(timing),
      ...budgetForecast(timing),
      ...burns(timing),
      alert(exceeded()),
      alert(forecastExceeded(settings)),
      alert(incomplete()),
      alert(prepaidImminent(settings)),
      alert(prepaidPredicted(settings)),
      alert(prepaidSlow(settings)),
    ],
  };
}

function amounts({ analyticsMemory, analyticsMemorySeconds, now }: Timing): readonly RecordingRule[] {
  const known = (series: Series) => `last_over_time(${series.name}[${analyticsMemory}])`;
  const start = `max by (job, gateway, budget) (${known(families.windowStart)})`;
  return [
    record(
      recorded.budgetOwner,
      "Team and window of the budget. One series per budget: the one scraped now takes precedence over a remembered one.",
      promql`
        topk by (job, gateway, budget) (1,
          max by (job, gateway, budget, window, team) (2 * ${families.info} or ${known(families.info)})
        ) ^ 0`,
    ),
    record(
      recorded.budgetLimit,
      "Credits that may be spent in the window.",
      `max by (job, gateway, budget) (${known(families.limit)})`,
    ),
    record(
      recorded.budgetSpent,
      "Credits spent in the window. Absent until the look-back no longer reaches the previous window.",
      `${budgetSpent(known)}\n${promql`and on (job, gateway, budget) ${now} - ${start} >= ${analyticsMemorySeconds}`}`,
    ),
    record(
      recorded.budgetComplete,
      "Whether the spend is complete: no part is missing, of any shard.",
      budgetComplete(known),
    ),
  ];
}

function burns(timing: Timing): readonly RecordingRule[] {
  const prepaid = select(recorded.budgetOwner, { window: "total" });
  const burn = (series: Series, seconds: number, comment: string) => {
    const ago = timing.duration(seconds);
    return record(
      series,
      comment,
      promql`
        clamp_min(${recorded.budgetSpent} - ${recorded.budgetSpent} offset ${ago}, 0) / ${timing.seconds(seconds)}
        and on (job, gateway, budget) ${prepaid}`,
    );
  };
  return [
    burn(recorded.budgetBurn1h, HOUR, "Credits per second spent from a prepaid balance over the last hour."),
    burn(recorded.budgetBurn6h, 6 * HOUR, "Credits per second over six hours."),
    burn(recorded.budgetBurn3d, 3 * DAY, "Credits per second over three days."),
  ];
}

function exceeded(): AlertDefinition {
  return {
    name: "AIGatewayBudgetExceeded",
    severity: "warning",
    expr: promql`
      ${recorded.budgetSpent} / ${recorded.budgetLimit} > 1`,
    for: 5 * MINUTE,
    summary: "A budget is exceeded.",
    description: `${BUDGET} is overspent: {{ $value | humanizePercentage }} of it is used, and its window ({{ $labels.window }}) has not ended. The gateway does not stop the spending: find out who spends, or raise the budget.`,
  };
}

function forecastExceeded({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayBudgetForecastExceeded",
    severity: "info",
    comment:
      "No keep_firing_for: the alert would carry over into the next window. The margin shrinks to 0 at the end of the window.",
    expr: promql`
      ${recorded.budgetForecast} / ${recorded.budgetLimit} > 1 + ${thresholds.budgetMargin} * ${budgetWindowLeft(timing)}
      unless ${recorded.budgetSpent} > ${recorded.budgetLimit}`,
    for: HOUR,
    summary: "A budget will be exceeded when its window ends.",
    description: `${BUDGET} will be at {{ $value | humanizePercentage }} when its window ({{ $labels.window }}) ends: a day or a week if it continues like the previous one, a month if its mean rate continues. The dashboard shows which keys or models spend most: talk to their owners, or raise the budget.`,
  };
}

function incomplete(): AlertDefinition {
  return {
    name: "AIGatewayBudgetIncomplete",
    severity: "warning",
    expr: promql`${recorded.budgetComplete} == 0`,
    for: 30 * MINUTE,
    summary: "Part of the spend of a budget is unknown.",
    description: `${BUDGET} may be exceeded unnoticed: its spend is only a lower bound, because a key cannot be polled, a shard is missing, or an answer about models was truncated. Look for alerts on stale data, refused keys or shards.`,
  };
}

/** A prepaid balance lasts less than `seconds` at each rate. The first one is the measure; a shorter one confirms that the spending continues. */
function lastsLess(seconds: number, ...rates: readonly Series[]): string {
  const { budgetLimit: limit, budgetSpent: spent } = recorded;
  const clauses = rates.map((rate) => promql`(${limit} - ${spent}) / ${rate} < ${seconds}`);
  return [...clauses, promql`${spent} < ${limit}`].join("\nand ");
}

const PREPAID = `${BALANCE} runs out in {{ $value | humanizeDuration }}`;

function prepaidImminent({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionImminent",
    severity: "critical",
    comment: "One rate only, because a longer one would notice a runaway hours later.",
    expr: lastsLess(timing.seconds(thresholds.budgetImminent), recorded.budgetBurn1h),
    for: 10 * MINUTE,
    keepFiringFor: 20 * MINUTE,
    summary: "A prepaid balance is about to run out.",
    description: `${PREPAID} at the rate of the last hour; then the gateway refuses every call of the account (402). Buy credits now, or find out what is spending and stop it.`,
  };
}

function prepaidPredicted({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionPredicted",
    severity: "warning",
    expr: lastsLess(timing.seconds(thresholds.predicted), recorded.budgetBurn6h, recorded.budgetBurn1h),
    for: 30 * MINUTE,
    keepFiringFor: HOUR,
    summary: "A prepaid balance will run out within a day.",
    description: `${PREPAID} at the rate of the last six hours; then the gateway refuses every call of the account (402). Buy credits today.`,
  };
}

function prepaidSlow({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionSlow",
    severity: "warning",
    expr: lastsLess(timing.seconds(thresholds.slow), recorded.budgetBurn3d, recorded.budgetBurn6h),
    for: HOUR,
    keepFiringFor: 6 * HOUR,
    summary: "A prepaid balance will run out within a week.",
    description: `${PREPAID} at the rate of the last three days; then the gateway refuses every call of the account (402). Buy credits this week.`,
  };
}
