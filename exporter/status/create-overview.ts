import { budgetRow } from "./budget-row.ts";
import { QUERIES, type Query, queryFamilies, usageFamiliesOf } from "../collectors/analytics-families.ts";
import { budgetTargets } from "../collectors/budget-queries.ts";
import { keyFamilies } from "../collectors/key-families.ts";
import type { AnalyticsConfig, BudgetConfig, Config, KeyConfig } from "../config/config.ts";
import type { KeyRow, Overview, PairRow, QueryRow, TargetRow } from "./overview.ts";
import { type Family, labelValues, type Sample } from "../metrics/family.ts";
import type { Store } from "../readings/store.ts";
import type { Statuses } from "../readings/statuses.ts";

interface Source {
  readonly store: Store;
  readonly statuses: Statuses;
}

/** The same values as on `/metrics`, put together for a person. */
export function createOverview(
  config: Pick<Config, "gateway" | "keys" | "analytics" | "budgets" | "creditValue">,
  source: Source,
  about: Pick<Overview, "version" | "nowMs" | "startedMs">,
): Overview {
  return {
    ...about,
    gateway: config.gateway.baseUrl,
    creditValue: config.creditValue,
    keys: config.keys.map((key) => keyRow(key, source)),
    queries: config.analytics ? QUERIES.map((query) => queryRow(query, source)) : [],
    budgetQueries: config.analytics ? budgetQueries(config.budgets, config.analytics, source) : [],
    budgets: config.budgets.map((budget) => budgetRow(budget, source, about.nowMs)),
  };
}

function keyRow(config: KeyConfig, source: Source): KeyRow {
  const samples = source.store.visible(`key/${config.name}`);
  const value = valuesOf(samples);
  const reset = samples.find((sample) => sample.family === keyFamilies.limitReset && sample.value === 1);
  return {
    ...targetRow(config.name, `key/${config.name}`, source),
    owner: config.owner,
    limit: value(keyFamilies.unlimited) === 1 ? "unlimited" : value(keyFamilies.limit),
    remaining: value(keyFamilies.remaining),
    reset: reset && labelValues(reset).get(keyFamilies.limitReset.name),
    nextResetMs: toMilliseconds(value(keyFamilies.nextReset)),
    day: value(keyFamilies.usageDay),
    week: value(keyFamilies.usageWeek),
    month: value(keyFamilies.usageMonth),
    total: value(keyFamilies.usage),
    expiryMs: toMilliseconds(value(keyFamilies.expiry)),
  };
}

function queryRow(query: Query, source: Source): QueryRow {
  const samples = source.store.visible(`analytics/${query}`);
  const value = valuesOf(samples);
  const families = usageFamiliesOf[query];
  const credits = samples.filter((sample) => sample.family === families.total_usage);
  const requests = samples.filter((sample) => sample.family === families.request_count);
  const truncated = value(queryFamilies.truncated);
  return {
    ...targetRow(query, `analytics/${query}`, source),
    windowStartMs: toMilliseconds(value(queryFamilies.windowStart)),
    dataMs: toMilliseconds(value(queryFamilies.dataTimestamp)),
    credits: sum(credits),
    requests: sum(requests),
    pairs: credits.map(pairRow),
    foldedPairs: value(queryFamilies.folded),
    truncated: truncated === undefined ? undefined : truncated === 1,
  };
}

function budgetQueries(
  budgets: readonly BudgetConfig[],
  analytics: AnalyticsConfig,
  source: Source,
): readonly TargetRow[] {
  return budgetTargets(budgets, analytics).map(({ id }) =>
    targetRow(id.replace("analytics/", ""), id, source),
  );
}

function pairRow(sample: Sample): PairRow {
  const labels = labelValues(sample);
  return { model: labels.get("model") ?? "", app: labels.get("app") ?? "", credits: sample.value };
}

function targetRow(name: string, id: string, source: Source): TargetRow {
  const status = source.statuses.get(id);
  const state = status?.up === undefined ? "waiting" : status.up ? "up" : "down";
  return { name, state, failure: status?.failure, lastSuccessMs: status?.lastSuccessMs };
}

function valuesOf(samples: readonly Sample[]): (family: Family) => number | undefined {
  return (family) => samples.find((sample) => sample.family === family)?.value;
}

function toMilliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

/** Nothing to add up is not 0. */
function sum(samples: readonly Sample[]): number | undefined {
  return samples.length === 0 ? undefined : samples.reduce((total, { value }) => total + value, 0);
}
