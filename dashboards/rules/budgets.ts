import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { uids } from "../uids.ts";
import { thresholds } from "../thresholds.ts";
import { promql, select, type Series } from "../promql.ts";
import { withBudgetTeam } from "./owner.ts";
import { record, type RecordingRule, type RuleGroup } from "./rule.ts";
import { recorded } from "./series.ts";
import { createAlert, type AlertDefinition, type Settings } from "./settings.ts";
import type { Timing } from "./timing.ts";

/** Budgets: what was spent of them and where that leads, and the alerts on it. */
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
    comment: "Budgets: what was spent of them and where that leads.",
    interval: timing.duration(60),
    rules: [
      ...amounts(timing),
      ...burns(timing),
      alert(exceeded()),
      alert(forecastExceeded()),
      alert(incomplete(settings)),
      alert(prepaidImminent(settings)),
      alert(prepaidPredicted(settings)),
      alert(prepaidSlow(settings)),
    ],
  };
}

function amounts({ analyticsMemory, analyticsMemorySeconds, now }: Timing): readonly RecordingRule[] {
  const known = (series: Series) => `last_over_time(${series.name}[${analyticsMemory}])`;
  const start = `max by (job, budget) (${known(families.windowStart)})`;
  const end = `max by (job, budget) (${known(families.windowEnd)})`;
  return [
    record(
      recorded.budgetOwner,
      "Whose the budget is, and its window: one answer per budget, the one that is scraped now before one that was.",
      promql`
        topk by (job, budget) (1,
          max by (job, budget, window, team) (2 * ${families.info} or ${known(families.info)})
        ) ^ 0`,
    ),
    record(
      recorded.budgetLimit,
      "Credits that may be spent in the window.",
      `max by (job, budget) (${known(families.limit)})`,
    ),
    record(
      recorded.budgetSpent,
      "Credits spent in the window; unknown until the memory holds nothing of the window before.",
      promql`
        max by (job, budget) (${known(families.spent)})
        and on (job, budget) ${now} - ${start} >= ${analyticsMemorySeconds}`,
    ),
    record(
      recorded.budgetForecast,
      "What the window will have spent at its end if it goes on at its mean pace; withheld in its first tenth, when a morning would be taken for a month.",
      promql`
        ${recorded.budgetSpent}
        * (${end} - ${start})
        / (${now} - ${start} > ${thresholds.forecastAfter} * (${end} - ${start}))`,
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
        and on (job, budget) ${prepaid}`,
    );
  };
  return [
    burn(recorded.budgetBurn1h, 3600, "Credits a second that a prepaid balance lost over the last hour."),
    burn(recorded.budgetBurn6h, 6 * 3600, "The same over six hours."),
    burn(recorded.budgetBurn3d, 3 * 86_400, "The same over three days."),
  ];
}

function exceeded(): AlertDefinition {
  return {
    name: "AIGatewayBudgetExceeded",
    severity: "warning",
    expr: promql`
      ${recorded.budgetSpent} / ${recorded.budgetLimit} > 1`,
    for: 5 * 60,
    summary: "More was spent than a budget allows.",
    description:
      "{{ $value | humanizePercentage }} of the budget {{ $labels.budget }} is spent, and its window ({{ $labels.window }}) still runs. Nothing is refused by the gateway because of it: decide who stops, or raise the budget.",
  };
}

function forecastExceeded(): AlertDefinition {
  return {
    name: "AIGatewayBudgetForecastExceeded",
    severity: "info",
    comment: "Not kept: it would be said of the next window, and a mean pace moves slowly enough.",
    expr: promql`
      ${recorded.budgetForecast} / ${recorded.budgetLimit} > 1
      unless ${recorded.budgetSpent} > ${recorded.budgetLimit}`,
    for: 3600,
    summary: "A budget will be overrun at its present pace.",
    description:
      "If it goes on like this, {{ $value | humanizePercentage }} of the budget {{ $labels.budget }} is spent when its window ({{ $labels.window }}) ends. The dashboard shows which keys or models spend most.",
  };
}

function incomplete({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayBudgetIncomplete",
    severity: "warning",
    expr: promql`max by (job, budget) (last_over_time(${families.complete}[${timing.analyticsMemory}])) == 0`,
    for: 30 * 60,
    summary: "Part of what a budget is over is not known.",
    description:
      "What is shown as spent of the budget {{ $labels.budget }} is only a lower bound: a key cannot be polled, or an answer about models was cut. Look for alerts on stale data or refused keys.",
  };
}

/** What is left of a prepaid balance lasts less than `seconds` at both rates: the long one says that, the short one that it still goes on. */
function lastsLess(seconds: number, long: Series, short: Series): string {
  const left = `clamp_min(${recorded.budgetLimit.name} - ${recorded.budgetSpent.name}, 0)`;
  return promql`
    ${left} / (${long} > 0) < ${seconds}
    and ${left} / (${short} > 0) < ${seconds}
    and ${recorded.budgetSpent} < ${recorded.budgetLimit}`;
}

const PREPAID = "the prepaid balance {{ $labels.budget }} is used up in {{ $value | humanizeDuration }}";

function prepaidImminent({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionImminent",
    severity: "critical",
    comment:
      "One rate, since a runaway would be hours old before a second one saw it; two hours of it count double.",
    expr: lastsLess(timing.seconds(thresholds.budgetImminent), recorded.budgetBurn1h, recorded.budgetBurn1h),
    for: 10 * 60,
    keepFiringFor: 20 * 60,
    summary: "A prepaid balance is about to be used up.",
    description: `At the rate of the last hour ${PREPAID}; then every call of the account is refused (402). Buy credits, or find what spends and stop it.`,
  };
}

function prepaidPredicted({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionPredicted",
    severity: "warning",
    expr: lastsLess(timing.seconds(thresholds.predicted), recorded.budgetBurn6h, recorded.budgetBurn1h),
    for: 30 * 60,
    keepFiringFor: 3600,
    summary: "A prepaid balance will be used up within a day.",
    description: `At the rate of the last six hours ${PREPAID}. Buy credits today.`,
  };
}

function prepaidSlow({ timing }: Settings): AlertDefinition {
  return {
    name: "AIGatewayBudgetExhaustionSlow",
    severity: "warning",
    expr: lastsLess(timing.seconds(thresholds.slow), recorded.budgetBurn3d, recorded.budgetBurn6h),
    for: 3600,
    keepFiringFor: 6 * 3600,
    summary: "A prepaid balance will be used up within a week.",
    description: `At the rate of the last three days ${PREPAID}. Buy credits this week.`,
  };
}
