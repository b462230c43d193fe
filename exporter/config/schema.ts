import { z } from "zod";
import { parseBaseUrl } from "./base-url.ts";
import { budgetSection } from "./budgets/schema.ts";
import { byteSize, duration, flag, integer, isNot, list, path, pattern, positiveNumber } from "./field.ts";
import { refuse, schedule, section, text } from "./field.ts";
import { KEY_NAME } from "./key-name.ts";
import { probeSection, probeSpendSection } from "./probes/schema.ts";
import { looksSecret, quote } from "./quote.ts";

export { KEY_NAME } from "./key-name.ts";

const URL_RULE = "an https URL of the gateway's API root (http for localhost only)";

const baseUrl = z
  .string({ error: ({ input }) => isNot(URL_RULE, input) })
  .transform((url, context) => {
    const parsed = parseBaseUrl(url);
    // A URL may hold a password, and then its text stays out of the message.
    const shown = /[@?#]/.test(url) ? "the URL" : quote(url);
    return parsed.ok ? parsed.url : refuse(context, `${shown} ${parsed.fault}`);
  })
  .meta({ rule: URL_RULE, type: "URL" });

const VARIABLE_RULE = "the name of an environment variable";
const variable = () =>
  z
    .string({ error: ({ input }) => isNot(VARIABLE_RULE, input) })
    .refine((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !looksSecret(name), {
      // Whoever misreads the field writes the secret itself here.
      error: `the text (not shown: it may be a secret) is not ${VARIABLE_RULE}`,
    })
    .meta({ type: "variable", rule: "matches `[A-Za-z_][A-Za-z0-9_]*`" });

/** The section `gateway`. Each section stands by itself, so that a draft can read what is right in it. */
export const gatewaySection = section({
  base_url: baseUrl.describe(
    "Root of the gateway's API with its version segment. A slash at its end does not matter.",
  ),
  timeout: duration("100ms", "10m", "10s")
    .prefault("10s")
    .describe("One attempt of one request, from its start to the last byte of the body."),
  deadline: duration("100ms", "1h", "30s")
    .prefault("30s")
    .describe("One request with all its retries; at least `timeout`."),
  requests_per_minute: integer(0, 1_000_000)
    .prefault(600)
    .describe("Requests for keys per minute, over all keys; 0 is unpaced."),
  connections: integer(1, 1024).prefault(64).describe("Requests under way at once."),
  max_pause: duration("1s", "1d", "5m")
    .prefault("5m")
    .describe("Longest that a hint of the gateway (`Retry-After`) may silence a key or an endpoint."),
  max_body: byteSize("1KiB", "256MiB", "16MiB")
    .prefault("16MiB")
    .describe("Largest response body that is read; a larger one is a failed poll."),
});

const ownerLabel = () => text(0, 128).prefault("");

export const ownerSection = section({
  team: ownerLabel().describe("Team that answers for the key."),
  project: ownerLabel().describe("Project that uses the key."),
  cost_center: ownerLabel().describe("Cost centre that pays; put numbers in quotes."),
});

export const keySection = section({
  name: pattern(KEY_NAME, "name").describe("Value of the label `key`; unique over `keys` and `keys_dir`."),
  api_key_file: path().optional().describe("File that holds the API key. Either this or `api_key_env`."),
  api_key_env: variable().optional().describe("Environment variable that holds the API key."),
  owner: ownerSection.prefault({}).describe("Labels of `aigateway_key_owner_info`."),
  show_label: flag()
    .prefault(false)
    .describe("Show the gateway's own label of the key, which is a masked fragment of the secret."),
});

export const analyticsSection = section({
  management_key_file: path()
    .optional()
    .describe("File that holds the management key. Either this or `management_key_env`."),
  management_key_env: variable().optional().describe("Environment variable that holds the management key."),
  top: integer(1, 1000)
    .prefault(50)
    .describe("Pairs of model and app that are shown by name, by credits; the rest is `_other`."),
  rates: flag().prefault(false).describe("Ask for the cache hit rate and latencies, too."),
});

export const scheduleSection = section({
  keys: schedule().prefault("* * * * *").describe("When the keys are polled."),
  analytics: schedule().prefault("*/5 * * * *").describe("When the analytics are asked for."),
});

export const creditValueSection = section({
  currency: pattern(/^[A-Z]{3}$/, "currency")
    .prefault("USD")
    .describe("Currency as in ISO 4217."),
  value: positiveNumber().prefault(1).describe("Price of one credit in that currency."),
});

/** The configuration file, field by field. What a field alone cannot know is checked in `draft.ts`. */
export const configFile = section({
  gateway: gatewaySection.describe("The gateway that is asked."),
  keys: list(keySection).prefault([]).describe("Keys that are polled, in the order of the exposition."),
  keys_dir: path().optional().describe("Folder in which each file is a key, named by its file name."),
  analytics: analyticsSection
    .optional()
    .describe("Spend by model and app. Without this section no analytics are asked for."),
  budgets: list(budgetSection)
    .prefault([])
    .describe("Credits that may be spent, by keys, a model, an app or the account."),
  probes: list(probeSection)
    .prefault([])
    .describe("Transcriptions that are asked for on a schedule, to see how a model does. They cost credits."),
  probe_spend: probeSpendSection
    .optional()
    .describe("What the probes may spend. Probes need this section; without probes it does nothing."),
  schedule: scheduleSection.prefault({}).describe("When the gateway is asked."),
  credit_value: creditValueSection
    .optional()
    .describe("Price of a credit, shown as a metric of its own. Without this section there is none."),
  series_limit: integer(1, 100_000_000)
    .prefault(1_000_000)
    .describe("Most series that are shown; an answer that would go beyond is refused as a whole."),
}).describe("Top level");

/** The file after its check, with defaults. */
export type ConfigFile = z.output<typeof configFile>;
/** The file as it is written. */
export type ConfigFileInput = z.input<typeof configFile>;
