export { KEY_NAME } from "./field.ts";
export { shardOfName } from "./shards/shard.ts";
export { MOST_SHARDS, POD_INDEX, POD_NAME } from "./shards/shard.ts";
import type { z } from "zod";
import { accountSection } from "./account-section.ts";
import { gapsMs } from "../time/ticker.ts";
import { checkMembers, type Owned, BUDGET_SCOPES, budgetSection, utcDate } from "./budgets/schema.ts";
import {
  choice,
  flag,
  integer,
  KEY_NAME,
  list,
  path,
  pattern,
  positiveNumber,
  schedule,
  section,
  text,
} from "./field.ts";
import { discoverySection } from "./discovery-section.ts";
import { gatewaySection } from "./gateway-section.ts";
import { probeSection, probeSpendSection } from "./probes/schema.ts";
import { checkRequests, querySection } from "./query-section.ts";
import { quote } from "../secrets/quote.ts";
import { type Checked, entriesOf, has, type Report, right, sectionOf, withRules } from "./rules.ts";
import { checkShares, MOST_SHARDS } from "./shards/shard.ts";
import { API_KEY_FIELDS, checkSecret, MANAGEMENT_KEY_FIELDS, variable } from "./secret-fields.ts";

const formerValueSection = section({
  until: utcDate().describe("When the price ended."),
  value: positiveNumber().describe("Price of one credit before that, in the same currency."),
});

/** The price of a credit, now and in the past. */
const creditValueSection = withRules(
  section({
    currency: pattern(/^[A-Z]{3}$/, "currency")
      .prefault("USD")
      .describe("Currency as in ISO 4217."),
    value: positiveNumber().prefault(1).describe("Price of one credit in that currency."),
    former: list(formerValueSection).prefault([]).describe("Past prices, for reports, the oldest first."),
  }),
  (creditValue, report) => {
    const untils = entriesOf(creditValue, "former").map((former) => right(former, "until") ?? Number.NaN);
    for (const [index, until] of untils.entries())
      if (until <= (untils[index - 1] ?? Number.NEGATIVE_INFINITY))
        report(["former", index, "until"], "must be later than the one before it");
  },
);

// What infra/ needs of the configuration besides its schema. It may import no other file of it.

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
    limit: section({
      credits: positiveNumber().describe("Credits that the key may use in the window, without BYOK usage."),
      window: choice(["day", "week", "month", "none"], "window").describe(
        "The UTC day, week (from Monday) or month, or `none` for a limit that never resets.",
      ),
    })
      .optional()
      .describe(
        "Mirrors a limit of this key that the gateway does not report, such as a guardrail. The limit families show the limit that has less left; forecasts and alerts go by the one that ends first.",
      ),
  }),
  (key, report) => checkSecret(key, API_KEY_FIELDS, report),
);

const analyticsSection = withRules(
  section({
    management_key_file: path()
      .optional()
      .describe("File that holds the management key. Either this or `management_key_env`."),
    management_key_env: variable().optional().describe("Environment variable that holds the management key."),
    top: integer(1, 1000)
      .prefault(1000)
      .describe(
        "Number of pairs of model and app shown by name, the most expensive first; the rest is `_other`. Fewer save series, and then the sums by model and by app are lower bounds.",
      ),
    rates: flag().prefault(false).describe("Also query the cache hit rate and latencies."),
    queries: list(querySection)
      .optional()
      .describe(
        "Further queries. Without this field: `keys-day` and `keys-month`, the spend by key and model. An empty list removes these two; a query of the same name replaces one.",
      ),
  }),
  (analytics, report) => {
    checkSecret(analytics, MANAGEMENT_KEY_FIELDS, report);
    checkNames("queries", entriesOf(analytics, "queries"), report);
  },
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
  account: accountSection
    .optional()
    .describe("What the gateway does not tell about the balance of the account; needs `analytics`."),
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
export const configFile = withRules(fields, (file, report) => {
  checkNames("keys", entriesOf(file, "keys"), report);
  checkNames("budgets", entriesOf(file, "budgets"), report);
  checkAnalytics(file, report);
  checkNames("probes", entriesOf(file, "probes"), report);
  if (entriesOf(file, "probes").length > 0 && !has(file, "probe_spend"))
    report(["probe_spend"], "is missing; it is required with probes, which cost credits");
  // The names in a folder are known only once it is listed.
  if (!has(file, "keys_dir")) checkKeys(file, ownedKeys(file), report);
  const { keys } = file.value;
  if (Array.isArray(keys) && keys.length === 0 && !has(file, "keys_dir") && !has(file, "analytics"))
    report([], "nothing to poll; set keys, keys_dir or analytics");
  const [shards, gateway] = [right(file, "shards"), sectionOf(file, "gateway")];
  if (shards === undefined || !gateway) return;
  checkShares(
    shards,
    {
      requestsPerMinute: right(gateway, "requests_per_minute"),
      connections: right(gateway, "connections"),
      seriesLimit: right(file, "series_limit"),
    },
    report,
  );
}).describe("Top level");

/** The file after its check, with defaults. */
export type ConfigFile = z.output<typeof fields>;
/** The file as it is written. */
export type ConfigFileInput = z.input<typeof fields>;

type File = Checked<ConfigFile>;

/** Finds budgets and probes that name missing keys. */
export function checkKeys(file: File, known: readonly Owned[], report: Report): void {
  checkMembers(entriesOf(file, "budgets"), known, report);
  const names = new Set(known.map(({ name }) => name));
  for (const [index, probe] of entriesOf(file, "probes").entries()) {
    const key = right(probe, "key");
    if (key !== undefined && !names.has(key))
      report(["probes", index, "key"], `${quote(key)} is not a key in keys or keys_dir`);
  }
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

function checkNames(
  field: string,
  entries: readonly Checked<{ readonly name: string }>[],
  report: Report,
): void {
  const first = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const name = right(entry, "name");
    const before = name === undefined ? undefined : first.get(name);
    if (before !== undefined)
      report([field, index, "name"], `${quote(name)} is already the name of ${field}[${before}]`);
    else if (name !== undefined) first.set(name, index);
  }
}

/** Without analytics, a budget can cover keys only, and no keys are listed. */
function checkAnalytics(file: File, report: Report): void {
  const [analytics, discovery] = [sectionOf(file, "analytics"), sectionOf(file, "discovery")];
  const budgets = entriesOf(file, "budgets");
  const schedules = sectionOf(file, "schedule");
  const expression = schedules && right(schedules, "analytics");
  if (analytics && expression) {
    const queries = entriesOf(analytics, "queries").map((query) => right(query, "name"));
    const others = budgets.filter((budget) => !has(budget, "keys")).length;
    checkRequests(queries, others, gapsMs(expression).shortest, report);
  }
  if (analytics) return;
  if (discovery && right(discovery, "enabled") !== false)
    report(["discovery"], "needs the section analytics");
  if (has(file, "account")) report(["account"], "needs the section analytics");
  for (const [index, budget] of budgets.entries())
    for (const scope of BUDGET_SCOPES)
      if (scope !== "keys" && has(budget, scope))
        report(["budgets", index, scope], "needs the section analytics");
}
