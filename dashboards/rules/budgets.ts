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
    burn(recorded.budgetBurn1d, DAY, "Credits per second over a day."),
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

/** Seconds until a prepaid balance is used up at a rate. */
function leaves(rate: Series): string {
  return promql`(${recorded.budgetLimit} - ${recorded.budgetSpent}) / ${rate}`;
}

/** Something is left of a prepaid balance. */
const LEFT = promql`${recorded.budgetSpent} < ${recorded.budgetLimit}`;

const PREPAID = `${BALANCE} runs out in {{ $value | humanizeDuration }}`;

function prepaidImminent({ timing }: Settings): AlertDefinition {
  const { budgetBurn1h, budgetBurn6h } = recorded;
  const soon = timing.seconds(thresholds.prepaidImminent);
  return {
    name: "AIGatewayBudgetExhaustionImminent",
    severity: "critical",
    comment:
      "The same conditions as for the balance of the account. The rate of six hours can contradict that of the last one, unless that one leaves little or is all that is known.",
    expr: promql`
      ${leaves(budgetBurn1h)} < ${soon}
      unless (${leaves(budgetBurn6h)} >= ${soon} and ${leaves(budgetBurn1h)} >= ${timing.seconds(thresholds.prepaidAnyway)})
      and ${LEFT}`,
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
    expr: promql`
      (${leaves(recorded.budgetBurn1d)} or ${leaves(recorded.budgetBurn6h)}) < ${timing.seconds(thresholds.predicted)}
      and ${LEFT}`,
    for: 30 * MINUTE,
    keepFiringFor: HOUR,
    summary: "A prepaid balance will run out within a day.",
    description: `${PREPAID} at the rate of the last day, or of six hours while no day is known; then the gateway refuses every call of the account (402). Buy credits today.`,
  };
}

function prepaidSlow({ timing }: Settings): AlertDefinition {
  const { budgetBurn1d, budgetBurn3d } = recorded;
  const week = timing.seconds(thresholds.slow);
  return {
    name: "AIGatewayBudgetExhaustionSlow",
    severity: "warning",
    expr: promql`
      ${leaves(budgetBurn3d)} < ${week}
      and ${leaves(budgetBurn1d)} < ${week}
      and ${LEFT}`,
    for: HOUR,
    keepFiringFor: 6 * HOUR,
    summary: "A prepaid balance will run out within a week.",
    description: `${PREPAID} at the rate of the last three days; then the gateway refuses every call of the account (402). Buy credits this week.`,
  };
}
