import type { z } from "zod";
import { longestGapMs } from "../time/ticker.ts";
import { memberFindings, type Owned } from "./budgets/budget-config.ts";
import { BUDGET_SCOPES, budgetSection } from "./budgets/schema.ts";
import { flag, integer, KEY_NAME, list, path, pattern, schedule, section, text } from "./field.ts";
import { creditValueSection } from "./credit-value-section.ts";
import { discoverySection } from "./discovery-section.ts";
import { gatewaySection } from "./gateway-section.ts";
import { keyLimitSection } from "./key-limit-section.ts";
import { probeSection, probeSpendSection } from "./probes/schema.ts";
import { querySection, requestFindings } from "./query-section.ts";
import { quote } from "./quote.ts";
import { type Checked, entriesOf, type Finding, has, right, sectionOf, withRules } from "./rules.ts";
import { MOST_SHARDS, shareFindings } from "./shards/shard.ts";
import { API_KEY_FIELDS, MANAGEMENT_KEY_FIELDS, secretFindings, variable } from "./secret-fields.ts";

// What infra/ needs of the configuration besides its schema. It may import no other file of it.
export { KEY_NAME } from "./field.ts";
export { shardOfName } from "./shards/jump-hash.ts";
export { MOST_SHARDS, POD_INDEX, POD_NAME } from "./shards/shard.ts";

/** The default port, which is free in Prometheus' list of default ports. */
export const DEFAULT_PORT = 9853;

const ownerLabel = () => text(0, 128).prefault("");

const ownerSection = section({
  team: ownerLabel().describe("Team responsible for the key."),
  project: ownerLabel().describe("Project that uses the key."),
  cost_center: ownerLabel().describe("Cost centre that pays; put numbers in quotes."),
});

const keySection = withRules(
  section({
    name: pattern(KEY_NAME, "name").describe("Value of the label `key`; unique over `keys` and `keys_dir`."),
    api_key_file: path().optional().describe("File that holds the API key. Either this or `api_key_env`."),
    api_key_env: variable().optional().describe("Environment variable that holds the API key."),
    owner: ownerSection.prefault({}).describe("Labels of `aigateway_key_owner_info`."),
    show_label: flag()
      .prefault(false)
      .describe("Show the gateway's own label of the key, which is a masked fragment of the secret."),
    limit: keyLimitSection,
  }),
  (key) => secretFindings(key, API_KEY_FIELDS),
);

const analyticsSection = withRules(
  section({
    management_key_file: path()
      .optional()
      .describe("File that holds the management key. Either this or `management_key_env`."),
    management_key_env: variable().optional().describe("Environment variable that holds the management key."),
    top: integer(1, 1000)
      .prefault(50)
      .describe(
        "Number of pairs of model and app shown by name, the most expensive first; the rest is `_other`.",
      ),
    rates: flag().prefault(false).describe("Also query the cache hit rate and latencies."),
    queries: list(querySection)
      .optional()
      .describe(
        "Further queries. Without this field: `keys-day` and `keys-month`, the spend by key and model. An empty list removes these two; a query of the same name replaces one.",
      ),
  }),
  (analytics) => [
    ...secretFindings(analytics, MANAGEMENT_KEY_FIELDS),
    ...repeatedNames("queries", entriesOf(analytics, "queries")),
  ],
);

const scheduleSection = section({
  keys: schedule().prefault("* * * * *").describe("When the keys are polled."),
  analytics: schedule().prefault("*/5 * * * *").describe("When the analytics are queried."),
  discovery: schedule().prefault("*/5 * * * *").describe("When the keys of the account are listed."),
});

const fields = section({
  gateway: gatewaySection.describe("The gateway to poll."),
  keys: list(keySection).prefault([]).describe("Keys to poll, in the order in which `/metrics` shows them."),
  keys_dir: path()
    .optional()
    .describe("Folder of API keys: each file holds one API key, and its name is the name of the key."),
  analytics: analyticsSection
    .optional()
    .describe("Spend by model and app. Without this section no analytics are queried."),
  discovery: discoverySection
    .optional()
    .describe(
      "Keys of the account that are shown without their secrets; needs `analytics`. Without this section they are listed if neither `keys` nor `keys_dir` is set.",
    ),
  budgets: list(budgetSection)
    .prefault([])
    .describe("Limits on the credits that keys, a model, an app or the account may spend."),
  probes: list(probeSection)
    .prefault([])
    .describe("Transcriptions that test a model on a schedule. They cost credits."),
  probe_spend: probeSpendSection
    .optional()
    .describe("Limits on what the probes may spend. Required with probes; without probes it has no effect."),
  schedule: scheduleSection.prefault({}).describe("When the gateway is polled."),
  credit_value: creditValueSection
    .optional()
    .describe("Price of a credit, exposed as a metric. Without this section the metric is absent."),
  series_limit: integer(1, 100_000_000)
    .prefault(1_000_000)
    .describe("Maximum number of series. An answer that would exceed it is rejected entirely."),
  shards: integer(1, MOST_SHARDS)
    .prefault(1)
    .describe(
      "Number of processes that divide the keys, `gateway.requests_per_minute`, `gateway.connections` and `series_limit` among them (docs/shards.md).",
    ),
});

/**
 * The schema of the configuration file, for everything that can be checked without other files and the environment.
 */
export const configFile = withRules(fields, (file) => [
  ...repeatedNames("keys", entriesOf(file, "keys")),
  ...repeatedNames("budgets", entriesOf(file, "budgets")),
  ...analyticsFindings(file),
  ...rateFindings(file),
  ...repeatedNames("probes", entriesOf(file, "probes")),
  ...spendFindings(file),
  // The names in a folder are known only once it is listed.
  ...(has(file, "keys_dir") ? [] : keyFindings(file, ownedKeys(file))),
  ...emptyFindings(file),
  ...sharedFindings(file),
]).describe("Top level");

/** The entries of the lists that can be long. */
export const LISTS: Readonly<Record<string, z.ZodType>> = {
  keys: keySection,
  budgets: budgetSection,
  probes: probeSection,
};

/** The file after its check, with defaults. */
export type ConfigFile = z.output<typeof fields>;
/** The file as it is written. */
export type ConfigFileInput = z.input<typeof fields>;

type File = Checked<ConfigFile>;

/** Finds budgets and probes that name missing keys. */
export function keyFindings(file: File, known: readonly Owned[]): readonly Finding[] {
  return [
    ...memberFindings(entriesOf(file, "budgets"), known),
    ...payerFindings(entriesOf(file, "probes"), known),
  ];
}

/** The keys of `keys` that budgets and probes can name. */
export function ownedKeys(file: File): readonly Owned[] {
  return entriesOf(file, "keys").flatMap((key) => {
    const name = right(key, "name");
    return name === undefined ? [] : [{ name, owner: ownerOf(right(key, "owner")) }];
  });
}

/** The labels of an owner; empty without an owner. */
export function ownerOf(owner: ConfigFile["keys"][number]["owner"] | undefined): Owned["owner"] {
  return { team: owner?.team ?? "", project: owner?.project ?? "", costCenter: owner?.cost_center ?? "" };
}

function payerFindings(
  probes: readonly Checked<ConfigFile["probes"][number]>[],
  known: readonly Owned[],
): readonly Finding[] {
  const names = new Set(known.map(({ name }) => name));
  return probes.flatMap((probe, index) => {
    const key = right(probe, "key");
    if (key === undefined || names.has(key)) return [];
    return [{ path: ["probes", index, "key"], message: `${quote(key)} is not a key in keys or keys_dir` }];
  });
}

function repeatedNames(
  field: "keys" | "budgets" | "probes" | "queries",
  entries: readonly Checked<{ readonly name: string }>[],
): readonly Finding[] {
  const first = new Map<string, number>();
  return entries.flatMap((entry, index) => {
    const name = right(entry, "name");
    if (name === undefined) return [];
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, index);
      return [];
    }
    const message = `${quote(name)} is already the name of ${field}[${before}]`;
    return [{ path: [field, index, "name"], message }];
  });
}

/** Without analytics, a budget can cover keys only, and no keys are listed. */
function analyticsFindings(file: File): readonly Finding[] {
  if (sectionOf(file, "analytics")) return [];
  const discovery = sectionOf(file, "discovery");
  const isListed = discovery !== undefined && right(discovery, "enabled") !== false;
  return [
    ...(isListed ? [{ path: ["discovery"], message: "needs the section analytics" }] : []),
    ...budgetsWithoutAnalytics(file),
  ];
}

function budgetsWithoutAnalytics(file: File): readonly Finding[] {
  return entriesOf(file, "budgets").flatMap((budget, index) =>
    BUDGET_SCOPES.filter((scope) => scope !== "keys" && has(budget, scope)).map((scope) => ({
      path: ["budgets", index, scope],
      message: "needs the section analytics",
    })),
  );
}

function rateFindings(file: File): readonly Finding[] {
  const [analytics, schedules] = [sectionOf(file, "analytics"), sectionOf(file, "schedule")];
  const expression = schedules && right(schedules, "analytics");
  if (!analytics || !expression) return [];
  const budgets = entriesOf(file, "budgets").filter((budget) => !has(budget, "keys")).length;
  const queries = entriesOf(analytics, "queries").map((query) => right(query, "name"));
  return requestFindings(queries, budgets, longestGapMs(expression));
}

/** Probes cost money, so they require a ceiling. */
function spendFindings(file: File): readonly Finding[] {
  if (entriesOf(file, "probes").length === 0 || has(file, "probe_spend")) return [];
  return [{ path: ["probe_spend"], message: "is missing; it is required with probes, which cost credits" }];
}

/** The shards divide the limits among them. */
function sharedFindings(file: File): readonly Finding[] {
  const [total, gateway] = [right(file, "shards"), sectionOf(file, "gateway")];
  if (total === undefined || !gateway) return [];
  return shareFindings(total, {
    requestsPerMinute: right(gateway, "requests_per_minute"),
    connections: right(gateway, "connections"),
    seriesLimit: right(file, "series_limit"),
  });
}

function emptyFindings(file: File): readonly Finding[] {
  const { keys } = file.value;
  if (!Array.isArray(keys) || keys.length > 0 || has(file, "keys_dir") || has(file, "analytics")) return [];
  return [{ path: [], message: "nothing to poll; set keys, keys_dir or analytics" }];
}
