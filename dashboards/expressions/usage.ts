import { queryFamilies, type Query, usageFamiliesOf } from "../../exporter/collectors/analytics-families.ts";
import { promql, type Series } from "../promql.ts";
import { lookedAt, ofJob, type When } from "./scope.ts";

/** The analytics label that a dashboard is about; the reader filters by the other one. */
export type Subject = "model" | "app";

/**
 * Two hours after the end of the day that begins at a step: late rows have arrived, and all pairs come from
 * one answer.
 */
const DAY_AFTER: When = { last: "10m", offset: "-1d2h" };
const MONTH_AT_END: When = { last: "1d", at: "end()" };

/** Number of models or apps that a graph shows by name. */
const SHOWN = 9;

type Amount = keyof (typeof usageFamiliesOf)[Query];

type Matchers = Readonly<Partial<Record<Subject, string>>>;

/** The reader's filter, without and with an exclusion of `_other`, which is a remainder and not a name. */
const MATCHERS = {
  model: [{ app: "~$app" }, { app: "~$app", model: "!~_other" }],
  app: [{ model: "~$model" }, { model: "~$model", app: "!~_other" }],
} as const satisfies Record<Subject, readonly [Matchers, Matchers]>;

/** Sums over pairs of model and app. */
export function usageBy(subject: Subject) {
  const [chosen, named] = MATCHERS[subject];
  const pairs = (series: Series<Subject>, when: When = {}, matchers: Matchers = chosen) =>
    `max by (job, gateway, model, app) (${lookedAt(ofJob(series, matchers), when)})`;
  const amount = (query: Query, of: Amount) => `sum by (${subject}) (${pairs(usageFamiliesOf[query][of])})`;
  const total = (query: Query, of: Amount) => `sum(${pairs(usageFamiliesOf[query][of])})`;
  const ofDay = pairs(usageFamiliesOf.last_day.credits, DAY_AFTER);
  const most = `topk(${SHOWN}, sum by (${subject}) (${pairs(usageFamiliesOf.month.credits, MONTH_AT_END, named)}))`;
  return {
    amount,
    total,
    /** Spend per full day: the most expensive of the month by name, and all others as one. */
    perDay: {
      shown: promql`sum by (${subject}) (${ofDay} and on (${subject}) ${most})`,
      others: promql`sum(${ofDay} unless on (${subject}) ${most}) > 0`,
    },
    /** Today's requests to the models that match a pattern. */
    requests: (model: string) => `sum(${pairs(usageFamiliesOf.day.requests, {}, { ...chosen, model })})`,
    share: (query: Query) =>
      promql`${amount(query, "credits")} / on () group_left () (${total(query, "credits")} > 0)`,
    /** Absent for a corrected amount below 0, which is not a price. */
    pricePerRequest: (query: Query) =>
      promql`(${amount(query, "credits")} >= 0) / (${amount(query, "requests")} > 0)`,
    pricePerMillionTokens: (query: Query) =>
      promql`1e6 * (${amount(query, "credits")} >= 0) / (${amount(query, "tokens")} > 0)`,
    /**
     * Change of the credits per day against last month. Per day, because months differ in length and this one
     * is not over.
     */
    change: promql`
      (${amount("month", "credits")} / on () group_left () ${seconds("month")})
      / (${amount("last_month", "credits")} / on () group_left () ${seconds("last_month")} > 0)
      - 1`,
  };
}

/** Length of the time range of a query, in seconds. */
function seconds(query: Query): string {
  const { windowStart, windowEnd } = queryFamilies;
  return `(max(${ofJob(windowEnd, { query })}) - max(${ofJob(windowStart, { query })}))`;
}
