import { QUERIES, type Query, queryFamilies, usageFamiliesOf } from "./collectors/analytics-families.ts";
import { keyFamilies } from "./collectors/key-families.ts";
import type { Config, KeyConfig } from "./config/config.ts";
import type { KeyRow, Overview, QueryRow, TargetRow } from "./http/overview.ts";
import { type Family, labelValues, type Sample } from "./metrics/family.ts";
import type { Store } from "./metrics/store.ts";
import type { Statuses } from "./schedule/statuses.ts";

interface Source {
  readonly store: Store;
  readonly statuses: Statuses;
}

/** The same values as on `/metrics`, put together for a person. */
export function createOverview(
  config: Config,
  source: Source,
  about: Pick<Overview, "version" | "nowMs" | "startedMs">,
): Overview {
  return {
    ...about,
    gateway: config.gateway.baseUrl,
    keys: config.keys.map((key) => keyRow(key, source)),
    queries: config.analytics ? QUERIES.map((query) => queryRow(query, source)) : [],
  };
}

function keyRow(config: KeyConfig, source: Source): KeyRow {
  const samples = source.store.visible(`key/${config.name}`);
  const value = (family: Family) => samples.find((sample) => sample.family === family)?.value;
  const reset = samples.find((sample) => sample.family === keyFamilies.limitReset && sample.value === 1);
  const nextReset = value(keyFamilies.nextReset);
  return {
    ...targetRow(config.name, `key/${config.name}`, source),
    team: config.owner.team,
    limit: value(keyFamilies.unlimited) === 1 ? "unlimited" : value(keyFamilies.limit),
    remaining: value(keyFamilies.remaining),
    reset: reset && labelValues(reset).get(keyFamilies.limitReset.name),
    nextResetMs: nextReset === undefined ? undefined : nextReset * 1000,
    day: value(keyFamilies.usageDay),
    week: value(keyFamilies.usageWeek),
    month: value(keyFamilies.usageMonth),
    total: value(keyFamilies.usage),
  };
}

function queryRow(query: Query, source: Source): QueryRow {
  const samples = source.store.visible(`analytics/${query}`);
  const value = (family: Family) => samples.find((sample) => sample.family === family)?.value;
  const families = usageFamiliesOf[query];
  const credits = samples.filter((sample) => sample.family === families.total_usage);
  const requests = samples.filter((sample) => sample.family === families.request_count);
  const data = value(queryFamilies.dataTimestamp);
  const truncated = value(queryFamilies.truncated);
  return {
    ...targetRow(query, `analytics/${query}`, source),
    dataMs: data === undefined ? undefined : data * 1000,
    credits: sum(credits),
    requests: sum(requests),
    pairs: credits.map((sample) => {
      const labels = labelValues(sample);
      return { model: labels.get("model") ?? "", app: labels.get("app") ?? "", credits: sample.value };
    }),
    truncated: truncated === undefined ? undefined : truncated === 1,
  };
}

function targetRow(name: string, id: string, source: Source): TargetRow {
  const status = source.statuses.get(id);
  const state = status?.up === undefined ? "waiting" : status.up ? "up" : "down";
  return { name, state, failure: status?.failure, lastSuccessMs: status?.lastSuccessMs };
}

/** Nothing to add up is not 0. */
function sum(samples: readonly Sample[]): number | undefined {
  return samples.length === 0 ? undefined : samples.reduce((total, { value }) => total + value, 0);
}
