import { discoveryFamilies } from "../../exporter/collectors/discovery-families.ts";
import { keyFamilies } from "../../exporter/collectors/key-families.ts";
import { promql, type Series } from "../promql.ts";
import { ofJob } from "./scope.ts";
import { ownQueryFamilies } from "../../exporter/collectors/analytics-families.ts";
import { unwatchedFamilies } from "../../exporter/collectors/account-families.ts";

/** The labels that the built-in queries add: the gateway's name of a key, and the model. */
type Pair = "api_key" | "model";
type PairSeries = Series<"query" | Pair>;
type Window = "day" | "month";

function ofPair({ name, labels }: Series<"query">): PairSeries {
  return { name, labels: [...labels, "api_key", "model"] };
}

export const pairSeries = {
  credits: ofPair(ownQueryFamilies.credits),
  requests: ofPair(ownQueryFamilies.requests),
};

type Matchers = Readonly<Partial<Record<Pair, string>>>;

/** What each pair of key and model amounts to in a window, from the queries `keys-day` and `keys-month`. */
export function pairs(series: PairSeries, window: Window, matchers: Matchers = {}): string {
  return `max by (job, gateway, api_key, model) (${ofJob(series, { query: `keys-${window}`, ...matchers })})`;
}

/** The same, for each name of a key. */
export function byKeyName(series: PairSeries, window: Window, matchers?: Matchers): string {
  return `sum by (api_key) (${pairs(series, window, matchers)})`;
}

const listed = (matchers: Readonly<Partial<Record<"key", string>>>) =>
  `max by (job, gateway, api_key, key) (${ofJob(discoveryFamilies.info, matchers)})`;

/** The names of listed keys that only one key has, because the figures of a name cannot be divided. */
const unique = promql`(count by (job, gateway, api_key) (${listed({})}) == 1)`;

/** The label `key` of each name, if only one listed key has it. */
export const watchedAs = promql`max by (api_key, key) (${listed({})} and on (job, gateway, api_key) ${unique})`;

/** Limits an expression over pairs to the name of the chosen key. */
export function ofChosenKey(expr: string): string {
  return promql`(${expr} and on (job, gateway, api_key) (${listed({ key: "$key" })} and on (job, gateway, api_key) ${unique}))`;
}

/** The labels of all watched keys, as if they were names at the gateway: those of configured keys often are. */
const labelsAsNames = promql`label_replace(${ofJob(keyFamilies.ownerInfo)}, "api_key", "$1", "key", "(.*)")`;

/** This month's spend of names that no watched key has. Absent if no keys are listed, or if everything is watched. */
export const namesOfNobody = promql`
  sum by (api_key) (
    ${pairs(pairSeries.credits, "month", { api_key: "!~_other" })}
    unless on (job, gateway, api_key) ${ofJob(discoveryFamilies.info)}
    unless on (job, gateway, api_key) ${labelsAsNames}
    unless on (job, gateway) ${ofJob(unwatchedFamilies.month)} == 0
    and on (job, gateway) ${ofJob(discoveryFamilies.info)}
  ) > 0`;
