import { budgetFamilies as families } from "../../exporter/budgets/families.ts";
import { uids } from "../uids.ts";
import { DAY, HOUR, MINUTE, thresholds } from "../thresholds.ts";
import { budgetForecast, budgetWindowLeft } from "./budget-forecast.ts";
import { budgetComplete, budgetSpent } from "./budget-parts.ts";
import { promql, select, type Series } from "../promql.ts";
import { BALANCE, BUDGET, withBudgetTeam } from "./owner.ts";
import { prepaidAlerts } from "./prepaid.ts";
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
      ...exhaustion(settings).map(alert),
    ],
  };
}

function amounts({ analyticsMemory, analyticsMemorySeconds, now }: Timing): readonly RecordingRule[] {
  const known = (series: Series) => `last_over_time(${series.name}[${analyticsMemory}])`;
  const start = `max by (job, gateway, budget) (${known(families.windowStart)})`;
  return [
    record(
      recorded.budgetOwner,
      "Scope, window and team of the budget. One series per budget: the one scraped now takes precedence over a remembered one.",
      promql`
        topk by (job, gateway, budget) (1,
          max by (job, gateway, budget, scope, window, team) (2 * ${families.info} or ${known(families.info)})
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
  const prepaid = select(recorded.budgetOwner, { scope: "account", window: "total" });
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
    description: `${BUDGET} is exceeded: {{ $value | humanizePercentage }} of its limit is spent{{ if ne $labels.window "total" }}, and its window ({{ $labels.window }}) has not ended{{ end }}. {{ if and (eq $labels.scope "account") (eq $labels.window "total") }}If the limit is what the account bought, every call fails (402): buy credits, and raise the limit unless it is "bought". Otherwise find{{ else }}The gateway does not stop the spending: find{{ end }} out ${SPENDER}, or raise the limit.`,
  };
}

/** Who to look for, by what the budget covers. */
const SPENDER = `{{ if eq $labels.scope "keys" }}which of its keys spends most{{ else if eq $labels.scope "model" }}which key or app uses the model most{{ else if eq $labels.scope "app" }}which model of the app costs most{{ else }}which key of the account spends most{{ end }}`;

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
    description: `${BUDGET} will be at {{ $value | humanizePercentage }} of its limit when its window ({{ $labels.window }}) ends, if the spending continues as before. Find out ${SPENDER}, and talk to its owner, or raise the limit.`,
  };
}

function incomplete(): AlertDefinition {
  return {
    name: "AIGatewayBudgetIncomplete",
    severity: "warning",
    expr: promql`${recorded.budgetComplete} == 0`,
    for: 30 * MINUTE,
    summary: "Part of the spend of a budget is unknown.",
    description: `${BUDGET} may be exceeded unnoticed: its spend is only a lower bound, because {{ if eq $labels.scope "keys" }}a key cannot be polled or a shard is missing{{ else }}an answer of the gateway is missing, old or incomplete{{ end }}. Look at the exporter's status page and at other alerts for the reason.`,
  };
}

function exhaustion({ timing }: Settings): readonly AlertDefinition[] {
  const { budgetSpent: spent, budgetLimit: limit } = recorded;
  const lasts = (rate: Series) => promql`(${limit} - ${spent}) / ${rate}`;
  const { imminent, predicted, slow } = prepaidAlerts(timing, {
    hour: lasts(recorded.budgetBurn1h),
    sixHours: lasts(recorded.budgetBurn6h),
    day: lasts(recorded.budgetBurn1d),
    threeDays: lasts(recorded.budgetBurn3d),
    left: promql`${spent} < ${limit}`,
  });
  return [
    {
      ...imminent,
      name: "AIGatewayBudgetExhaustionImminent",
      summary: "A prepaid balance is about to run out.",
      description: runsOut("the last hour", "Buy credits now, or find out what is spending and stop it"),
    },
    {
      ...predicted,
      name: "AIGatewayBudgetExhaustionPredicted",
      summary: "A prepaid balance will run out within a day.",
      description: runsOut("the last day, or of six hours while no day is known", "Buy credits today"),
    },
    {
      ...slow,
      name: "AIGatewayBudgetExhaustionSlow",
      summary: "A prepaid balance will run out within a week.",
      description: runsOut("the last three days", "Buy credits this week"),
    },
  ];
}

function runsOut(rate: string, advice: string): string {
  return `${BALANCE} runs out in {{ $value | humanizeDuration }} at the rate of ${rate}; then the gateway refuses every call of the account (402). ${advice}; after a purchase, raise the limit of the budget unless it is "bought".`;
}
