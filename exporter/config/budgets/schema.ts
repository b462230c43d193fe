import { z } from "zod";
import { isNot, KEY_NAME, list, pattern, positiveNumber, read, refuse, section, text } from "../field.ts";
import { quote } from "../quote.ts";
import { type Checked, type Finding, has, right, withRules } from "../rules.ts";

/** Longer than any title observed from a service. */
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

/** The keys of a budget: all, by name, or by their owner. */
export type BudgetKeys = "all" | readonly string[] | z.output<typeof ownerFilter>;

/** The type of the value selects one of three forms, so that each form has its own messages. */
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

const LIMIT_RULE = "a finite number above 0, or `bought`";

const limit = z
  .union([positiveNumber(), z.literal("bought")], {
    error: ({ input }) => isNot("a finite number above 0", input),
  })
  .meta({ rule: LIMIT_RULE, type: "number" });

const window = z
  .enum(WINDOWS, { error: ({ input }) => isNot(unquoted(WINDOW_RULE), input) })
  .meta({ rule: WINDOW_RULE, type: "window" });

const INSTANTS = z.union([z.iso.date(), z.iso.datetime({ precision: -1 }), z.iso.datetime({ precision: 0 })]);

/** Epoch milliseconds of a date (`2026-11-01`, its midnight in UTC) or a date-time in UTC (`2026-11-01T08:30:00Z`). */
export function parseUtcDate(written: string): number | undefined {
  const ms = INSTANTS.safeParse(written).success ? Date.parse(written) : Number.NaN;
  return ms >= 0 ? ms : undefined;
}

/** Epoch milliseconds. */
export function utcDate() {
  const rule = "a date or a date-time in UTC, such as 2026-11-01 or 2026-11-01T08:30:00Z";
  return read(rule, "date", parseUtcDate);
}

const title = () => text(1, LONGEST_TITLE).optional();

const fields = section({
  name: pattern(KEY_NAME, "name").describe("Value of the label `budget`; unique."),
  limit: limit.describe(
    "Credits that may be spent in the window. `bought`, with `account` and window `total` only: what the account has bought in all, as the gateway reports it, against everything that it used.",
  ),
  window: window.describe(
    "The current UTC day, week (from Monday) or month, or everything since a date (`total`, not with `keys`).",
  ),
  since: utcDate()
    .optional()
    .describe(
      "Start of a `total`: required with that window, not allowed with others. A budget that begins later counts nothing until then, which causes a warning.",
    ),
  keys: keys.optional().describe("Covers these keys: their credits, without BYOK usage."),
  model: title().describe("Covers a model, named as in the label `model`; needs `analytics`."),
  app: title().describe("Covers an app, named as in the label `app`; needs `analytics`."),
  account: account
    .optional()
    .describe("Covers the whole account, including keys that are not polled; needs `analytics`."),
  team: text(0, 128)
    .optional()
    .describe("Team that owns the budget, for alerts. Default: the team in `keys`, if there is one."),
});

/** What a budget can cover. It has exactly one of these fields. */
export const BUDGET_SCOPES = ["keys", "model", "app", "account"] as const;

/** An entry of `budgets`. */
export const budgetSection = withRules(fields, (budget) => [
  ...scopeFindings(budget),
  ...restFindings(budget),
  ...sinceFindings(budget),
  ...boughtFindings(budget),
  ...totalFindings(budget),
]);

/** A budget after its check. */
export type BudgetEntry = z.output<typeof fields>;

type Budget = Checked<BudgetEntry>;

function scopeFindings(budget: Budget): readonly Finding[] {
  const given = BUDGET_SCOPES.filter((scope) => has(budget, scope));
  if (given.length === 1) return [];
  const message =
    given.length === 0
      ? `covers nothing; set one of ${BUDGET_SCOPES.join(", ")}`
      : `${given.join(" and ")} are mutually exclusive; keep one of them`;
  return [{ path: [], message }];
}

/** What belongs to the rest depends on `analytics.top`, and no row of the gateway has its name. */
function restFindings(budget: Budget): readonly Finding[] {
  return (["model", "app"] as const)
    .filter((scope) => right(budget, scope) === "_other")
    .map((scope) => ({
      path: [scope],
      message: `"_other" is not one ${scope}, but the rest of all that have no series of their own; a budget cannot cover it`,
    }));
}

function sinceFindings(budget: Budget): readonly Finding[] {
  const kind = right(budget, "window");
  if (right(budget, "limit") === "bought") {
    const message = "does not apply to limit bought, which covers everything that was ever used";
    return has(budget, "since") ? [{ path: ["since"], message }] : [];
  }
  if (kind === "total") {
    return has(budget, "since")
      ? []
      : [{ path: ["since"], message: "is missing; it is required with window total" }];
  }
  if (kind === undefined || !has(budget, "since")) return [];
  return [{ path: ["since"], message: `applies to window total only, not to ${quote(kind)}` }];
}

/** The gateway reports purchases only for the whole account and for all time. */
function boughtFindings(budget: Budget): readonly Finding[] {
  if (right(budget, "limit") !== "bought") return [];
  const isAccount = right(budget, "account") === true;
  return [
    ...(isAccount ? [] : [{ path: ["limit"], message: "bought applies to account only" }]),
    ...(isAccount && right(budget, "window") !== "total"
      ? [{ path: ["limit"], message: "bought applies to window total only" }]
      : []),
  ];
}

/** The gateway reports the usage of a key by day, week, month and in total, but not since a date. */
function totalFindings(budget: Budget): readonly Finding[] {
  if (right(budget, "window") !== "total" || !has(budget, "keys")) return [];
  const message =
    '"total" applies to account, model and app only: keys report their spend by day, week and month';
  return [{ path: ["window"], message }];
}

/** Rules are written for the documentation; messages need no backquotes. */
function unquoted(rule: string): string {
  return rule.replaceAll("`", "");
}
