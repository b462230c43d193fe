import { z } from "zod";
import { broken, choice, flag, integer, KEY_NAME, list, pattern, section, UUID, uuid } from "./field.ts";
import { quote } from "../secrets/quote.ts";
import { has, type Report, right, withRules } from "./rules.ts";

/** What a query can show, amounts first. */
const QUERY_METRICS = [
  "credits",
  "byok_credits",
  "requests",
  "tokens",
  "prompt_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "cache_hit_ratio",
  "latency_avg_seconds",
  "latency_p90_seconds",
] as const;
export type QueryMetric = (typeof QUERY_METRICS)[number];

const METRICS_RULE = QUERY_METRICS.join(", ");
const RESERVED_NAME =
  /^(?:(?:last_)?(?:day|month)$|week$|since_|(?:day|week|month)_(?:user|workspace|provider)$)/;
/** Each request has its own value, so they would be series without end. */
const UNBOUNDED: ReadonlySet<string> = new Set(["generation_id", "session_id"]);
/** Names that would be taken for other labels: those of the series, of its target, and of Prometheus. */
const RESERVED_LABELS: ReadonlySet<string> = new Set([
  "query",
  "job",
  "gateway",
  "instance",
  "le",
  "quantile",
  "api_key",
]);
/** They reach back 31 days, which is less than the last month. */
const SHORT: ReadonlySet<string> = new Set([
  "provider",
  "origin",
  "country",
  "finish_reason",
  "external_user",
  "context_length_bucket",
  "data_region",
  "streamed",
]);
const WITH_UNSET: readonly string[] = ["api_key_id", "app", "user"];
/** Rows show labels for these dimensions; filters take identifiers. */
const IDENTIFIERS: ReadonlyMap<string, readonly [form: RegExp, rule: string]> = new Map([
  ["api_key_id", [/^(\d+|[0-9a-f]{64})$/i, "a number or the 64 hexadecimal digits of a key's hash"]],
  ["user", [/^user_/, "an identifier that begins with user_"]],
  ["workspace", [UUID, "a UUID"]],
  ["app", [/^\d+$/, "a number"]],
]);

/** The name of a dimension, which becomes a label. */
const dimension = () => pattern(/^[a-z][a-z0-9_]{0,62}$/, "dimension");

/** The classifier of a query: its tags divide the usage. */
const classifierSection = section({
  id: uuid().describe("Identifier of the classifier at the gateway."),
  dimensions: list(dimension())
    .min(1, "is an empty list; name one or two dimensions")
    .max(2, "has more than two dimensions")
    .describe("One or two dimensions of its tags. They become labels."),
});

const filterValues = () =>
  list(z.union([z.string().min(1).max(1024), z.int()], broken("a text or an integer")))
    .min(1, "is an empty list")
    .max(1000, "has more than 1000 values")
    .optional()
    .meta({ rule: "1 to 1000 texts or integers", type: "list" });

const filterSection = withRules(
  section({
    field: dimension().describe("Dimension, as the gateway names it."),
    in: filterValues().describe("Only these values. Either this or `not_in`."),
    not_in: filterValues().describe("All but these values."),
    include_unset: flag()
      .prefault(false)
      .describe("Also usage without a value; for `api_key_id`, `app` and `user` only."),
  }),
  (filter, report) => {
    const field = right(filter, "field") ?? "";
    if (has(filter, "in") === has(filter, "not_in")) report([], "needs exactly one of in and not_in");
    const values = [...(right(filter, "in") ?? []), ...(right(filter, "not_in") ?? [])];
    const [form, rule] = IDENTIFIERS.get(field) ?? [/^/, ""];
    const wrong = values.find((value) => !form.test(String(value)));
    if (wrong !== undefined) report([], `${quote(wrong)} is not ${rule}, which filters by ${field} need`);
    if (right(filter, "include_unset") === true && field !== "" && !WITH_UNSET.includes(field))
      report(["include_unset"], `is not possible for ${field}; it is for ${WITH_UNSET.join(", ")}`);
  },
);

export const QUERY_WINDOWS = ["day", "last_day", "month", "last_month"] as const;

const fields = section({
  name: pattern(KEY_NAME, "name").describe("Value of the label `query`; unique."),
  dimensions: list(dimension())
    .max(2, "has more than two dimensions")
    .optional()
    .describe(
      "Dimensions as the gateway names them, such as `user`, `provider`, `api_key_id`. They become labels. One or two, together with those of `classifier`.",
    ),
  classifier: classifierSection
    .optional()
    .describe("Divides by the tags of a classifier of the gateway. Usage without a tag is `_none`."),
  metrics: list(z.enum(QUERY_METRICS, broken(`one of ${METRICS_RULE}`)))
    .min(1, "is an empty list")
    .prefault(["credits", "requests"])
    .meta({ rule: METRICS_RULE, type: "list" })
    .describe("What is shown of each row. Default: credits and requests."),
  window: choice(QUERY_WINDOWS, "window").describe(
    "The current or the last full UTC day or month. Last ones are queried once an hour.",
  ),
  top: integer(1, 1000)
    .prefault(50)
    .describe("Number of rows shown by name, the most expensive first; the rest is `_other`."),
  filters: list(filterSection)
    .max(20, "has more than 20 filters")
    .prefault([])
    .describe("Limits the query to some values of dimensions."),
});

type Query = z.output<typeof fields>;

/** An entry of `analytics.queries`. */
export const querySection = withRules(fields, (query, report) => {
  const name = right(query, "name") ?? "";
  if (RESERVED_NAME.test(name))
    report(["name"], `${quote(name)} is the name of a query that the exporter has anyway`);
  const dimensions = right(query, "dimensions") ?? [];
  const tags = right(query, "classifier")?.dimensions ?? [];
  if (has(query, "classifier")) {
    if (dimensions.length + tags.length > 2)
      report(["classifier", "dimensions"], "makes more than two with dimensions");
  } else if (!has(query, "dimensions")) report(["dimensions"], "is missing; it must be a list");
  else if (right(query, "dimensions")?.length === 0)
    report(["dimensions"], "is an empty list; name one or two dimensions");
  checkLabels(["dimensions"], dimensions, [], report);
  checkLabels(["classifier", "dimensions"], tags, dimensions, report);
  for (const one of dimensions)
    if (right(query, "window") === "last_month" && SHORT.has(one))
      report(["window"], `the gateway keeps ${one} for 31 days, which is less than last_month`);
});

/** `others`: the labels that the query has already. */
function checkLabels(
  path: readonly string[],
  dimensions: readonly string[],
  others: readonly string[],
  report: Report,
): void {
  for (const [index, one] of dimensions.entries()) {
    const place = [...path, index];
    if (UNBOUNDED.has(one))
      report(place, `${one} has a value of its own for each request, so it cannot be a label`);
    else if (RESERVED_LABELS.has(one)) report(place, `${one} cannot be a label of a query`);
    else if (dimensions.indexOf(one) < index || others.includes(one)) report(place, `${one} is named twice`);
  }
}

/** Ours, a little below what the gateway accepts (observed-behaviour 8). */
const MOST_PER_MINUTE = 54;
/** Those of the four windows and of the unwatched spend. */
const OTHER_REQUESTS = 10;

/**
 * Refuses more queries than the gateway accepts requests. `written`: the names of the queries in the configuration.
 * `gapMs`: the shortest gap of the schedule.
 */
export function checkRequests(
  written: readonly (string | undefined)[],
  budgets: number,
  gapMs: number,
  report: Report,
): void {
  const builtIn = BUILT_IN.filter(({ name }) => !written.includes(name)).length;
  const queries = written.length + builtIn;
  const [own, other] = [2 * queries, OTHER_REQUESTS + 2 * budgets];
  const most = Math.floor((MOST_PER_MINUTE * gapMs) / 60_000);
  if (written.length === 0 || own + other <= most) return;
  const which = builtIn === 0 ? "" : ` (${builtIn} of them built in)`;
  report(
    ["analytics", "queries"],
    `${queries} queries${which} need ${own} requests per round beside ${other} others, but at ${MOST_PER_MINUTE} requests a minute only ${most} fit into schedule.analytics, which is every ${gapMs / 1000} s`,
  );
}

/** Built in with a management key: what each key spends on each model. */
const BUILT_IN: readonly QueryConfig[] = (["day", "month"] as const).map((window) => ({
  name: `keys-${window}`,
  dimensions: ["api_key_id", "model"],
  metrics: ["credits", "requests"],
  window,
  top: 1000,
  filters: [],
}));

/** All queries, built-in ones first. An empty list removes those; a query of the same name replaces one. */
export function queryConfigs(written: readonly Query[] | undefined): readonly QueryConfig[] {
  if (written === undefined) return BUILT_IN;
  if (written.length === 0) return [];
  const names = new Set(written.map(({ name }) => name));
  return [...BUILT_IN.filter(({ name }) => !names.has(name)), ...written.map(queryConfig)];
}

/** Those of a classifier are the last of its dimensions. */
function queryConfig({ dimensions, classifier, filters, ...query }: Query) {
  return {
    ...query,
    dimensions: [...(dimensions ?? []), ...(classifier?.dimensions ?? [])],
    ...(classifier && { classifier }),
    filters: filters.map((filter) => {
      const { field, in: included, not_in: excluded = [], include_unset: includeUnset } = filter;
      const operator: "in" | "not_in" = included ? "in" : "not_in";
      return { field, operator, values: included ?? excluded, includeUnset };
    }),
  };
}

/** A query by one or two dimensions. */
export type QueryConfig = Readonly<ReturnType<typeof queryConfig>>;
export type QueryClassifier = NonNullable<QueryConfig["classifier"]>;
