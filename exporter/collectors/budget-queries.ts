import type { AnalyticsConfig, BudgetConfig } from "../config/config.ts";
import { identityOf } from "../config/secret.ts";
import { type Period, periodName, windowOf } from "../time/window.ts";
import type { Target } from "./collector.ts";
import { groupedQuestion, runningRange, totalQuestion } from "./questions.ts";
import { answerSamples, stateSamples } from "./query-samples.ts";
import { windowSpend } from "./window-spend.ts";

/** What is asked for budgets alone: the week, and totals since a date. Day and month are asked for in any case. */
export function budgetTargets(budgets: readonly BudgetConfig[], config: AnalyticsConfig): readonly Target[] {
  const queries = new Map<string, Query>();
  for (const { period, scope } of budgets) {
    if (scope.kind === "keys" || period.kind === "day" || period.kind === "month") continue;
    const name = periodName(period);
    const query = queries.get(name) ?? { name, period, grouped: false, total: false };
    const isAccount = scope.kind === "account";
    queries.set(name, {
      ...query,
      grouped: query.grouped || !isAccount,
      total: query.total || isAccount,
    });
  }
  return [...queries.values()].map((query) => budgetTarget(query, config));
}

interface Query {
  readonly name: string;
  readonly period: Period;
  /** Which of the two questions the budgets need. */
  readonly grouped: boolean;
  readonly total: boolean;
}

function budgetTarget({ name, period, ...wanted }: Query, config: AnalyticsConfig): Target {
  return {
    id: `analytics/${name}`,
    title: `analytics query "${name}"`,
    minIntervalMs: 0,
    fingerprint: JSON.stringify([identityOf(config.managementKey), wanted]),
    constants: [],
    poll: async (gateway, askedAtMs, signal) => {
      const window = windowOf(period, askedAtMs);
      const range = runningRange(window, askedAtMs);
      const ask = (request: ReturnType<typeof totalQuestion>) =>
        gateway.queryAnalytics(name, request, config.managementKey, signal);
      const grouped = wanted.grouped ? await ask(groupedQuestion(range)) : undefined;
      const total = wanted.total ? await ask(totalQuestion(range)) : undefined;
      const answer = grouped ?? total;
      return {
        samples: answer ? answerSamples(name, answer, range, window, askedAtMs) : [],
        spend: [windowSpend(window, { ...(grouped && { grouped }), ...(total && { total }) })],
      };
    },
    describe: (state) => stateSamples(name, state),
  };
}
