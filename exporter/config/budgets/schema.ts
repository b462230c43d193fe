import { z } from "zod";
import { isNot, list, pattern, positiveNumber, read, refuse, section, text } from "../field.ts";
import { KEY_NAME } from "../key-name.ts";
import { parseUtcDate } from "../utc-date.ts";

/** Longer than any title that a service has been seen to answer. */
const LONGEST_TITLE = 2048;

const WINDOWS = ["day", "week", "month", "total"] as const;
const WINDOW_RULE = "`day`, `week`, `month` or `total`";
const KEYS_RULE = "`all`, a list of names, or a mapping of `team`, `project`, `cost_center`";

const keyNames = list(pattern(KEY_NAME, "name")).min(1, "is an empty list; name at least one key");

const ownerLabel = () => text(1, 128).optional();
const ownerFilter = section({
  team: ownerLabel(),
  project: ownerLabel(),
  cost_center: ownerLabel(),
}).refine((filter) => Object.values(filter).some((label) => label !== undefined), {
  error: "is empty; set team, project or cost_center",
});

/** How the keys of a budget are named: all, by name, or by their owner. */
export type BudgetKeys = "all" | readonly string[] | z.output<typeof ownerFilter>;

/** Three forms, told apart by their type, so that each has messages of its own. */
const keys = z
  .union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())], {
    error: ({ input }) => isNot(unquoted(KEYS_RULE), input),
  })
  .transform((written, context): BudgetKeys => {
    if (written === "all") return "all";
    if (typeof written === "string") return refuse(context, isNot(unquoted(KEYS_RULE), written));
    const parsed = Array.isArray(written) ? keyNames.safeParse(written) : ownerFilter.safeParse(written);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({ rule: KEYS_RULE, type: "keys" });

const account = z
  .literal(true, { error: ({ input }) => isNot("true", input) })
  .meta({ rule: "`true`", type: "boolean" });

const window = z
  .enum(WINDOWS, { error: ({ input }) => isNot(unquoted(WINDOW_RULE), input) })
  .meta({ rule: WINDOW_RULE, type: "window" });

const since = read(
  "a date or a date-time in UTC, such as 2026-11-01 or 2026-11-01T08:30:00Z",
  "date",
  parseUtcDate,
);

const title = () => text(1, LONGEST_TITLE).optional();

/** An entry of `budgets`. What a field alone cannot know is checked in `draft.ts`. */
export const budgetSection = section({
  name: pattern(KEY_NAME, "name").describe("Value of the label `budget`; unique."),
  limit: positiveNumber().describe("Credits that may be spent in the window."),
  window: window.describe(
    "The current UTC day, week (from Monday) or month, or all since a date. Keys tell no total since a date.",
  ),
  since: since.optional().describe("When a `total` begins: with that window always, with others never."),
  keys: keys.optional().describe("Over these keys: their credits, without BYOK usage."),
  model: title().describe("Over a model, by the text of the label `model`; needs `analytics`."),
  app: title().describe("Over an app, by the text of the label `app`; needs `analytics`."),
  account: account
    .optional()
    .describe("Over all that the account spent, by keys that are watched or not; needs `analytics`."),
  team: text(0, 128)
    .optional()
    .describe("Whose budget it is, for alerts; else the team of `keys`, if that names one."),
});

/** Of these, a budget has exactly one. */
export const BUDGET_SCOPES = ["keys", "model", "app", "account"] as const;

/** A budget after its check. */
export type BudgetEntry = z.output<typeof budgetSection>;

/** Rules are written for the documentation; messages need no marks. */
function unquoted(rule: string): string {
  return rule.replaceAll("`", "");
}
