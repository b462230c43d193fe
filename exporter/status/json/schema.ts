import { z } from "zod";
import { GAPS } from "../../budgets/budget-status.ts";
import { BURN_WINDOWS } from "../../forecast/basis.ts";
import { OUTLOOKS } from "../../forecast/outlook.ts";
import { KEY_STATES } from "../view.ts";

const credits = (what: string) => z.number().optional().describe(`Credits ${what}.`);
const instant = (what: string) => z.number().optional().describe(`${what}, seconds since the epoch.`);
const text = (what: string) => z.string().optional().describe(`${what}.`);
const known = (what: string) => z.boolean().describe(`Whether ${what}.`);
const flag = (what: string) => z.boolean().optional().describe(`Whether ${what}.`);
const number = (what: string) => z.number().optional().describe(`${what}.`);
const integer = (what: string) => z.int().optional().describe(`${what}.`);

/** What every polled target has. */
const target = {
  up: flag("the last poll succeeded; false also if its answer is too old"),
  failure_reason: text("Reason of the last failure, as in the metrics"),
  failure_message: text("The last failure in words"),
  failure_cause: text("Its cause, as in docs/troubleshooting.md"),
  failure_advice: text("What to do about it"),
  last_success_timestamp_seconds: instant("When the last good answer was requested"),
  warning: text("The unusable part of the last good answer"),
};

const models = (window: string) =>
  z
    .strictObject({
      data_timestamp_seconds: instant("The end of the data"),
      credits: credits("in all; a lower bound unless `complete` is true"),
      complete: known("no row and no amount is missing"),
      models: z
        .array(z.strictObject({ model: z.string(), credits: credits("spent on the model") }))
        .describe("The most expensive models; `_other` is everything else."),
    })
    .optional()
    .describe(`Spend by model in the current UTC ${window}. Absent: unknown, or no query asks for it.`);

const forecast = {
  outlook: z
    .enum(OUTLOOKS)
    .optional()
    .describe("How long the credits last, as in the metrics. Absent: there is no answer yet."),
  outlook_source: text(
    "Which budget of the key decides that, or `account`. Absent: there is none but its own limit",
  ),
  exhaustion_timestamp_seconds: instant("When the credits run out or ran out, while that is announced"),
  burn_credits_per_hour: z
    .partialRecord(z.enum(BURN_WINDOWS), z.number())
    .optional()
    .describe("Credits per hour, by the length of the time until now. Absent: unknown."),
};

const layer = z.strictObject({
  source: z.string().describe("As in the metrics: key_limit, mirrored, or the scope that the gateway names."),
  shared_id: text("Identifies a budget that several keys share. Absent: the budget counts this key only"),
  limit_credits: credits("that the budget allows per window"),
  spent_credits: credits("counted against it"),
  remaining_credits: credits("left, 0 or negative when the gateway refuses the key's calls"),
  next_reset_timestamp_seconds: instant("When it resets next"),
});

const key = z
  .strictObject({
    key: z.string().describe("Name of the key. No other key of this process has it."),
    ...target,
    states: z.array(z.enum(KEY_STATES)).describe("All values of the parameter `state` that select this key."),
    team: text("Team of the owner"),
    project: text("Project of the owner"),
    cost_center: text("Cost centre of the owner"),
    listed: known("only a list of the account shows the key: it is not polled"),
    listed_figures: known(
      "limit and spend come from a list: the key is not polled, or its polls have no current answer",
    ),
    unlimited: flag("the key has no limit"),
    limit_credits: credits("that the key may spend per window of its limit"),
    limit_source: z
      .enum(["gateway", "mirrored"])
      .optional()
      .describe("`mirrored`: the limit is that of the configuration."),
    limit_remaining_credits: credits("left of the limit, 0 or negative when it is used up"),
    limit_reset_schedule: text("When the limit resets: daily, weekly, monthly, never or other"),
    limit_next_reset_timestamp_seconds: instant("When the limit resets next"),
    layers: z
      .array(layer)
      .optional()
      .describe("Every limit that bounds the key, if its own is not the only one."),
    ...forecast,
    usage_day_credits: credits("used in the current UTC day"),
    usage_week_credits: credits("used in the current UTC week, from Monday"),
    usage_month_credits: credits("used in the current UTC month"),
    usage_credits: credits("used since the key was created"),
    byok_usage_day_credits: credits("used through own provider keys (BYOK) in the current UTC day"),
    byok_usage_month_credits: credits("used through own provider keys (BYOK) in the current UTC month"),
    byok_usage_credits: credits("used through own provider keys (BYOK) since the key was created"),
    expiry_timestamp_seconds: instant("When the key expires"),
    models_day: models("day"),
    models_month: models("month"),
  })
  .describe("One key.");

const budget = z
  .strictObject({
    budget: z.string().describe("Name of the budget."),
    team: text("Team of the budget"),
    scope: z
      .enum(["keys", "model", "app", "user", "workspace", "provider", "account"])
      .describe("What the budget covers."),
    keys: z.array(z.string()).optional().describe("Its keys."),
    label: text("Its model, app, user, workspace or provider"),
    window: z.enum(["day", "week", "month", "total"]),
    window_start_timestamp_seconds: instant("When the current window began"),
    window_end_timestamp_seconds: instant("When the current window ends"),
    limit_credits: credits("that may be spent in the window"),
    spent_credits: credits(
      "spent in the window so far; a lower bound unless `complete` is true, or more than was spent if it may contain BYOK",
    ),
    complete: known("nothing is missing in the spend, as far as the gateway reports"),
    gaps: z
      .partialRecord(z.enum(GAPS), z.int())
      .optional()
      .describe("Number of keys or queries whose spend is missing or old, by reason."),
    keys_at_all_shards: integer("Number of its keys at all shards. Absent: this process polls them all"),
    unmatched: known("what it covers is in no row, so that its name may be misspelt"),
  })
  .describe("A budget in its current window.");

const query = z
  .strictObject({
    query: z.string().describe("day, last_day, month or last_month."),
    ...target,
    window_start_timestamp_seconds: instant("Start of the requested range"),
    data_timestamp_seconds: instant("The end of the data"),
    credits: credits("spent in the window; a lower bound unless `complete` is true"),
    requests: number("Requests in the window; a lower bound unless `requests_complete` is true"),
    complete: known("the credits are known and not a lower bound"),
    requests_complete: known("the requests are known and not a lower bound"),
    pairs: z
      .array(z.strictObject({ model: z.string(), app: z.string(), credits: z.number() }))
      .describe("The most expensive pairs; `_other` is everything else."),
    truncated: flag("the gateway has more pairs"),
    exceeds_total: flag("the pairs exceed the total"),
  })
  .describe("Models and apps in one window.");

const account = z
  .strictObject({
    balance: z.strictObject({
      ...target,
      bought_credits: credits("that the account has bought in all"),
      used_credits: credits("that the account has used in all"),
      balance_credits: credits("that the account has left"),
      ...forecast,
    }),
  })
  .describe("What the management key shows.");

/** The answer of the status as JSON. `docs/status-schema.json` is made from it. */
export const statusSchema = z
  .strictObject({
    version: z.string().describe("Version of the exporter."),
    timestamp_seconds: z.number().describe("The instant of all values, seconds since the epoch."),
    start_timestamp_seconds: z.number().describe("When the exporter started, seconds since the epoch."),
    failed_reload_timestamp_seconds: instant("When the last reload failed"),
    gateway_url: z.string().describe("Base URL of the gateway."),
    credit_value: z
      .strictObject({ currency: z.string(), value: z.number() })
      .optional()
      .describe("Price of one credit."),
    shard: z
      .strictObject({ ordinal: z.int(), total: z.int(), keys_elsewhere: z.int() })
      .optional()
      .describe("Which part of the keys this process polls. Absent: all of them."),
    keys_total: z.int().describe("Number of keys in the view, on all pages."),
    next_page: integer("The parameter `page` for further keys"),
    keys: z.array(key).describe("One page of the keys in the view, in its order."),
    budgets: z.array(budget).describe("The budgets in the view."),
    queries: z.array(query).optional().describe("Absent: a filter is given, or no management key."),
    unwatched: z
      .strictObject({
        ...target,
        day_credits: credits("of keys that nobody watches, in the current UTC day"),
        month_credits: credits("of keys that nobody watches, in the current UTC month"),
        unresolved_keys: integer(
          "Number of watched keys that the gateway does not know by hash. Absent: unknown",
        ),
      })
      .optional()
      .describe("Spend that no watched key explains. Absent: a filter is given, or no management key."),
    account: account.optional(),
  })
  .describe(
    "Status of the AI gateway exporter. An absent value is unknown or does not apply; it is never 0, and null never occurs. New fields may be added.",
  );

/** The schema as JSON Schema, draft 2020-12. It allows further fields, because later versions may have some. */
export function statusSchemaText(): string {
  const schema = z.toJSONSchema(statusSchema, {
    override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties,
  });
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
