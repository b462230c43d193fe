import { queryFamilies, type Query, usageFamiliesOf } from "../../exporter/collectors/analytics-families.ts";
import { promql, type Series } from "../promql.ts";
import { lookedAt, ofJob, type When } from "./scope.ts";

/** Which of the two labels of the analytics a dashboard is about; the other one is a choice of the reader. */
export type Subject = "model" | "app";

/** Two hours after the day that begins at a step has ended: late rows have come, and all pairs are of one answer. */
const DAY_AFTER: When = { last: "10m", offset: "-1d2h" };
const MONTH_AT_END: When = { last: "1d", at: "end()" };

/** How many are shown by name in a graph. */
const SHOWN = 9;

type Amount = keyof (typeof usageFamiliesOf)[Query];

type Matchers = Readonly<Partial<Record<Subject, string>>>;

/** What the reader has chosen, and without the remainder, which is no name. */
const MATCHERS = {
  model: [{ app: "~$app" }, { app: "~$app", model: "!~_other" }],
  app: [{ model: "~$model" }, { model: "~$model", app: "!~_other" }],
} as const satisfies Record<Subject, readonly [Matchers, Matchers]>;

/** Sums over the pairs of model and app. */
export function usageBy(subject: Subject) {
  const [chosen, named] = MATCHERS[subject];
  const pairs = (series: Series<Subject>, when: When = {}, matchers: Matchers = chosen) =>
    `max by (job, model, app) (${lookedAt(ofJob(series, matchers), when)})`;
  const amount = (query: Query, of: Amount) => `sum by (${subject}) (${pairs(usageFamiliesOf[query][of])})`;
  const total = (query: Query, of: Amount) => `sum(${pairs(usageFamiliesOf[query][of])})`;
  const ofDay = pairs(usageFamiliesOf.last_day.credits, DAY_AFTER);
  const most = `topk(${SHOWN}, sum by (${subject}) (${pairs(usageFamiliesOf.month.credits, MONTH_AT_END, named)}))`;
  return {
    amount,
    total,
    /** Per complete day: the dearest of the month by name, all others together. */
    perDay: {
      shown: promql`sum by (${subject}) (${ofDay} and on (${subject}) ${most})`,
      others: promql`sum(${ofDay} unless on (${subject}) ${most}) > 0`,
    },
    /** Requests of today to the models that fit a pattern. */
    requests: (model: string) => `sum(${pairs(usageFamiliesOf.day.requests, {}, { ...chosen, model })})`,
    share: (query: Query) =>
      promql`${amount(query, "credits")} / on () group_left () (${total(query, "credits")} > 0)`,
    pricePerRequest: (query: Query) =>
      promql`${amount(query, "credits")} / (${amount(query, "requests")} > 0)`,
    pricePerMillionTokens: (query: Query) =>
      promql`1e6 * ${amount(query, "credits")} / (${amount(query, "tokens")} > 0)`,
    /** Credits a day of this month against those of the last one: months differ in length, and this one is not over. */
    change: promql`
      (${amount("month", "credits")} / on () group_left () ${seconds("month")})
      / (${amount("last_month", "credits")} / on () group_left () ${seconds("last_month")} > 0)
      - 1`,
  };
}

/** How long the range is that a query was asked for. */
function seconds(query: Query): string {
  const { windowStart, windowEnd } = queryFamilies;
  return `(max(${ofJob(windowEnd, { query })}) - max(${ofJob(windowStart, { query })}))`;
}
