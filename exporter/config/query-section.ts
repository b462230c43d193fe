import { z } from "zod";
import { classifierSection, dimension } from "./classifier-section.ts";
import { QUERY_METRICS, type QueryConfig, type QueryFilter } from "./config.ts";
import { flag, integer, isNot, KEY_NAME, list, pattern, section, UUID } from "./field.ts";
import { quote } from "./quote.ts";
import { type Checked, type Finding, has, right, withRules } from "./rules.ts";

const WINDOWS = ["day", "last_day", "month", "last_month"] as const;
const WINDOW_RULE = "day, last_day, month or last_month";
const METRICS_RULE = QUERY_METRICS.join(", ");
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
const WITH_UNSET: ReadonlySet<string> = new Set(["api_key_id", "app", "user"]);
/** Rows name these dimensions by labels, but filters need identifiers. */
const IDENTIFIERS: ReadonlyMap<string, readonly [form: RegExp, rule: string]> = new Map([
  ["api_key_id", [/^(\d+|[0-9a-f]{64})$/i, "a number or the 64 hexadecimal digits of a key's hash"]],
  ["user", [/^user_/, "an identifier that begins with user_"]],
  ["workspace", [UUID, "a UUID"]],
  ["app", [/^\d+$/, "a number"]],
]);

const MOST_VALUES = 1000;

const filterValue = z.union([z.string().min(1).max(1024), z.int()], {
  error: ({ input }) => isNot("a text or an integer", input),
});
const filterValues = () =>
  list(filterValue).min(1, "is an empty list").max(MOST_VALUES, `has more than ${MOST_VALUES} values`);

const filterSection = withRules(
  section({
    field: dimension().describe("Dimension, as the gateway names it."),
    in: filterValues()
      .optional()
      .meta({ rule: "1 to 1000 texts or integers", type: "list" })
      .describe("Only these values. Either this or `not_in`."),
    not_in: filterValues()
      .optional()
      .meta({ rule: "1 to 1000 texts or integers", type: "list" })
      .describe("All but these values."),
    include_unset: flag()
      .prefault(false)
      .describe("Also usage without a value; for `api_key_id`, `app` and `user` only."),
  }),
  (filter) => {
    const [field, unset] = [right(filter, "field"), right(filter, "include_unset")];
    const values = [...(right(filter, "in") ?? []), ...(right(filter, "not_in") ?? [])];
    const identifier = field === undefined ? undefined : IDENTIFIERS.get(field);
    const wrong = identifier && values.find((value) => !identifier[0].test(String(value)));
    return [
      ...(has(filter, "in") === has(filter, "not_in")
        ? [{ path: [], message: "needs exactly one of in and not_in" }]
        : []),
      ...(wrong === undefined
        ? []
        : [
            {
              path: [],
              message: `${quote(wrong)} is not ${identifier?.[1]}, which filters by ${field} need`,
            },
          ]),
      ...(unset === true && field !== undefined && !WITH_UNSET.has(field)
        ? [
            {
              path: ["include_unset"],
              message: `is not possible for ${field}; it is for ${[...WITH_UNSET].join(", ")}`,
            },
          ]
        : []),
    ];
  },
);

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
  metrics: list(z.enum(QUERY_METRICS, { error: ({ input }) => isNot(`one of ${METRICS_RULE}`, input) }))
    .min(1, "is an empty list")
    .prefault(["credits", "requests"])
    .meta({ rule: METRICS_RULE, type: "list" })
    .describe("What is shown of each row. Default: credits and requests."),
  window: z
    .enum(WINDOWS, { error: ({ input }) => isNot(WINDOW_RULE, input) })
    .meta({ rule: WINDOW_RULE, type: "window" })
    .describe("The current or the last full UTC day or month. Last ones are queried once an hour."),
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
export const querySection = withRules(fields, queryFindings);

function queryFindings(query: Checked<Query>): readonly Finding[] {
  const [name, dimensions = [], window] = [
    right(query, "name"),
    right(query, "dimensions"),
    right(query, "window"),
  ];
  const tags = right(query, "classifier")?.dimensions ?? [];
  const short = window === "last_month" ? dimensions.filter((one) => SHORT.has(one)) : [];
  return [
    ...(name !== undefined && isReserved(name)
      ? [finding(["name"], `${quote(name)} is the name of a query that the exporter has anyway`)]
      : []),
    ...countFindings(query, dimensions.length + tags.length),
    ...labelFindings(["dimensions"], dimensions, []),
    ...labelFindings(["classifier", "dimensions"], tags, dimensions),
    ...short.map((one) =>
      finding(["window"], `the gateway keeps ${one} for 31 days, which is less than last_month`),
    ),
  ];
}

/** Together with those of a classifier there are one or two dimensions. */
function countFindings(query: Checked<Query>, count: number): readonly Finding[] {
  if (has(query, "classifier"))
    return count > 2 ? [finding(["classifier", "dimensions"], "makes more than two with dimensions")] : [];
  if (!has(query, "dimensions")) return [finding(["dimensions"], "is missing; it must be a list")];
  const isEmpty = right(query, "dimensions")?.length === 0;
  return isEmpty ? [finding(["dimensions"], "is an empty list; name one or two dimensions")] : [];
}

/** `others`: the labels that the query has already. */
function labelFindings(
  path: readonly string[],
  dimensions: readonly string[],
  others: readonly string[],
): readonly Finding[] {
  return dimensions.flatMap((one, index) => {
    const place = [...path, index];
    if (UNBOUNDED.has(one))
      return [finding(place, `${one} has a value of its own for each request, so it cannot be a label`)];
    if (RESERVED_LABELS.has(one)) return [finding(place, `${one} cannot be a label of a query`)];
    const isTwice = dimensions.indexOf(one) < index || others.includes(one);
    return isTwice ? [finding(place, `${one} is named twice`)] : [];
  });
}

function finding(path: readonly PropertyKey[], message: string): Finding {
  return { path, message };
}

function isReserved(name: string): boolean {
  return WINDOWS.some((window) => window === name) || name === "week" || name.startsWith("since_");
}

/** Ours, a little below what the gateway accepts (observed-behaviour 8). */
const MOST_PER_MINUTE = 54;
/** Four windows, and the spend of keys that nobody watches. */
const OTHER_REQUESTS = 10;

/**
 * Refuses more queries than the gateway accepts requests. `written`: the names of the queries in the configuration.
 * `gapMs`: the longest gap of the schedule.
 */
export function requestFindings(
  written: readonly (string | undefined)[],
  budgets: number,
  gapMs: number,
): readonly Finding[] {
  const builtIn = BUILT_IN.filter(({ name }) => !written.includes(name)).length;
  const queries = written.length + builtIn;
  const [own, other] = [2 * queries, OTHER_REQUESTS + 2 * budgets];
  const most = Math.floor((MOST_PER_MINUTE * gapMs) / 60_000);
  if (written.length === 0 || own + other <= most) return [];
  const which = builtIn === 0 ? "" : ` (${builtIn} of them built in)`;
  const message = `${queries} queries${which} need ${own} requests per round beside ${other} others, but at ${MOST_PER_MINUTE} requests a minute only ${most} fit into schedule.analytics, which is every ${gapMs / 1000} s`;
  return [finding(["analytics", "queries"], message)];
}

/** Built in with a management key: what each key spends on each model. */
const BUILT_IN: readonly QueryConfig[] = (["day", "month"] as const).map((window) => ({
  name: `keys-${window}`,
  dimensions: ["api_key_id", "model"],
  metrics: ["credits", "requests"],
  window,
  top: 100,
  filters: [],
}));

/** All queries, built-in ones first. An empty list removes those; a query of the same name replaces one. */
export function queryConfigs(written: readonly Query[] | undefined): readonly QueryConfig[] {
  if (written === undefined) return BUILT_IN;
  if (written.length === 0) return [];
  const names = new Set(written.map(({ name }) => name));
  return [
    ...BUILT_IN.filter(({ name }) => !names.has(name)),
    ...written.map(({ dimensions, classifier, filters, ...query }) => ({
      ...query,
      dimensions: [...(dimensions ?? []), ...(classifier?.dimensions ?? [])],
      ...(classifier && { classifier }),
      filters: filters.map(filterOf),
    })),
  ];
}

function filterOf({
  field,
  in: included,
  not_in: excluded,
  include_unset: includeUnset,
}: Query["filters"][number]): QueryFilter {
  const operator = included ? "in" : "not_in";
  return { field, operator, values: included ?? excluded ?? [], includeUnset };
}
