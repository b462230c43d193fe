import { z } from "zod";
import {
  broken,
  choice,
  isNot,
  KEY_NAME,
  list,
  number,
  pattern,
  positiveNumber,
  read,
  refuse,
  section,
  text,
} from "../field.ts";
import { nearestName } from "../../nearest-name.ts";
import { quote } from "../../secrets/quote.ts";
import { type Checked, has, type Report, right, withRules } from "../rules.ts";
import type { Period } from "../../time/window.ts";

/** Longer than any title observed from a service. */
const LONGEST_TITLE = 2048;

const KEYS_RULE = "all, a list of names, or a mapping of team, project, cost_center";

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
const keysField = z
  .union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())], broken(KEYS_RULE))
  .transform((written, context): BudgetKeys => {
    if (written === "all") return "all";
    if (typeof written === "string") return refuse(context, isNot(KEYS_RULE, written));
    const parsed = Array.isArray(written) ? keyNames.safeParse(written) : ownerFilter.safeParse(written);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  })
  .meta({ rule: KEYS_RULE, type: "keys" });

const account = z.literal(true, broken("true")).meta({ rule: "`true`", type: "boolean" });

const limitField = z
  .union([positiveNumber(), z.literal("bought")], broken("a finite number above 0"))
  .meta({ rule: "a finite number above 0, or `bought`", type: "number" });

const INSTANTS = z.union([z.iso.date(), z.iso.datetime({ precision: -1 }), z.iso.datetime({ precision: 0 })]);

/** Epoch milliseconds of a date (`2026-11-01`, its midnight in UTC) or a date-time in UTC (`2026-11-01T08:30:00Z`). */
export function parseUtcDate(written: string): number | undefined {
  const ms = INSTANTS.safeParse(written).success ? Date.parse(written) : Number.NaN;
  return ms >= 0 ? ms : undefined;
}

/** Epoch milliseconds. */
export function utcDate() {
  return read(
    "a date or a date-time in UTC, such as 2026-11-01 or 2026-11-01T08:30:00Z",
    "date",
    parseUtcDate,
  );
}

const title = () => text(1, LONGEST_TITLE).optional();

const fields = section({
  name: pattern(KEY_NAME, "name").describe("Value of the label `budget`; unique."),
  limit: limitField.describe(
    "Credits that may be spent in the window. `bought`, with `account` and window `total` only: what the account has bought in all, as the gateway reports it, against everything that it used.",
  ),
  window: choice(["day", "week", "month", "total"], "window").describe(
    "The current UTC day, week (from Monday) or month, or everything since a date (`total`, not with `keys`).",
  ),
  since: utcDate()
    .optional()
    .describe(
      "Start of a `total`: required with that window, not allowed with others. A budget that begins later counts nothing until then, which causes a warning.",
    ),
  keys: keysField.optional().describe("Covers these keys: their credits, without BYOK usage."),
  model: title().describe("Covers a model, named as in the label `model`; needs `analytics`."),
  app: title().describe("Covers an app, named as in the label `app`; needs `analytics`."),
  user: title().describe("Covers a user, named as in the rows of the gateway; needs `analytics`."),
  workspace: title().describe("Covers a workspace, by its name; needs `analytics`."),
  provider: title().describe("Covers a provider, by its name; needs `analytics`. The gateway keeps 31 days."),
  account: account
    .optional()
    .describe("Covers the whole account, including keys that are not polled; needs `analytics`."),
  at: list(number(1, 1000))
    .prefault([])
    .meta({ rule: "numbers from 1 to 1000", type: "list" })
    .describe("Percentages of the limit at which AIGatewayBudgetThreshold fires, such as `[50, 80, 95]`."),
  team: text(0, 128)
    .optional()
    .describe("Team that owns the budget, for alerts. Default: the team in `keys`, if there is one."),
});

/** By what else than model and app a budget can cover spend: dimensions of the analytics, with a query of their own. */
export const BUDGET_DIMENSIONS = ["user", "workspace", "provider"] as const;
export type BudgetDimension = (typeof BUDGET_DIMENSIONS)[number];

/** What the budget covers. Models, apps and the others are matched by the text that the service returns. */
export type BudgetScope =
  | { readonly kind: "keys"; readonly names: readonly string[] }
  | { readonly kind: "model" | "app" | BudgetDimension; readonly label: string }
  /** All keys of the account, polled or not. */
  | { readonly kind: "account" };

/** What a budget can cover. It has exactly one of these fields. */
export const BUDGET_SCOPES = ["keys", "model", "app", ...BUDGET_DIMENSIONS, "account"] as const;

/** An entry of `budgets`. */
export const budgetSection = withRules(fields, (budget, report) => {
  checkScope(budget, report);
  const kind = right(budget, "window");
  const hasSince = has(budget, "since");
  if (right(budget, "limit") === "bought") checkBought(budget, report);
  else if (kind === "total" && !hasSince) report(["since"], "is missing; it is required with window total");
  else if (kind !== undefined && kind !== "total" && hasSince)
    report(["since"], `applies to window total only, not to ${quote(kind)}`);
  // The gateway reports the usage of a key by day, week, month and in total, but not since a date.
  if (kind === "total" && has(budget, "keys"))
    report(
      ["window"],
      '"total" applies to account, model and app only: keys report their spend by day, week and month',
    );
});

/** A budget after its check. */
export type BudgetEntry = z.output<typeof fields>;

function checkScope(budget: Checked<BudgetEntry>, report: Report): void {
  const given = BUDGET_SCOPES.filter((scope) => has(budget, scope));
  if (given.length === 0) report([], `covers nothing; set one of ${BUDGET_SCOPES.join(", ")}`);
  if (given.length > 1) report([], `${given.join(" and ")} are mutually exclusive; keep one of them`);
  // What belongs to the rest depends on `analytics.top`, and no row of the gateway has its name.
  for (const scope of ["model", "app"] as const)
    if (right(budget, scope) === "_other")
      report(
        [scope],
        `"_other" is not one ${scope}, but the rest of all that have no series of their own; a budget cannot cover it`,
      );
}

/** The gateway reports purchases only for the whole account and for all time. */
function checkBought(budget: Checked<BudgetEntry>, report: Report): void {
  if (has(budget, "since"))
    report(["since"], "does not apply to limit bought, which covers everything that was ever used");
  if (right(budget, "account") !== true) report(["limit"], "bought applies to account only");
  else if (right(budget, "window") !== "total") report(["limit"], "bought applies to window total only");
}

/** The properties that decide whether a key belongs to a budget. */
export interface Owned {
  readonly name: string;
  readonly owner: Owner;
}

export interface Owner {
  readonly team: string;
  readonly project: string;
  readonly costCenter: string;
}

/** A checked entry of `budgets`, with the keys that it covers. */
export function budgetConfig(entry: BudgetEntry, known: readonly Owned[]) {
  const { name, limit, window, since = 0 } = entry;
  const period: Period = window === "total" ? { kind: window, sinceMs: since } : { kind: window };
  return {
    name,
    limit,
    period,
    scope: scopeOf(entry, known),
    team: entry.team ?? teamOf(entry) ?? "",
    ...(entry.at.length > 0 && { at: [...new Set(entry.at)] }),
  };
}

/** Finds keys that do not exist, and budgets that cover no key. */
export function checkMembers(
  budgets: readonly Checked<BudgetEntry>[],
  known: readonly Owned[],
  report: Report,
): void {
  const names = new Set(known.map(({ name }) => name));
  for (const [index, budget] of budgets.entries()) {
    const keys = right(budget, "keys");
    const path = ["budgets", index, "keys"];
    if (isList(keys)) {
      for (const [at, key] of keys.entries())
        if (keys.indexOf(key) < at) report([...path, at], `${quote(key)} is listed twice`);
        else if (!names.has(key)) {
          const nearest = nearestName(key, [...names]);
          const advice = nearest === undefined ? "" : `; the nearest one is ${quote(nearest)}`;
          report([...path, at], `${quote(key)} is not a key in keys or keys_dir${advice}`);
        }
    } else if (keys !== undefined && memberNames(keys, known).length === 0)
      report(path, keys === "all" ? "no key is configured" : nobodyOwns(keys, known));
  }
}

/** `no key has the team "paymets"; teams: "payments", "platform"` */
function nobodyOwns(keys: Exclude<BudgetKeys, "all" | readonly string[]>, known: readonly Owned[]): string {
  for (const [label, field] of OWNER_LABELS) {
    const wanted = keys[label];
    const values = new Set(known.map(({ owner }) => owner[field]));
    if (wanted === undefined || values.has(wanted)) continue;
    const shown = [...values]
      .filter((value) => value !== "")
      .toSorted()
      .slice(0, MOST_SHOWN);
    const instead =
      shown.length === 0
        ? `no key has any ${label}`
        : `${label}s: ${shown.map((value) => quote(value)).join(", ")}`;
    return `no key has the ${label} ${quote(wanted)}; ${instead}`;
  }
  return "no key has all of these owner labels together";
}

const OWNER_LABELS = [
  ["team", "team"],
  ["project", "project"],
  ["cost_center", "costCenter"],
] as const;

const MOST_SHOWN = 10;

function scopeOf(entry: BudgetEntry, known: readonly Owned[]): BudgetScope {
  if (entry.keys !== undefined) return { kind: "keys", names: memberNames(entry.keys, known) };
  for (const kind of ["model", "app", ...BUDGET_DIMENSIONS] as const) {
    const label = entry[kind];
    if (label !== undefined) return { kind, label };
  }
  return { kind: "account" };
}

function teamOf({ keys }: BudgetEntry): string | undefined {
  return typeof keys === "object" && "team" in keys ? keys.team : undefined;
}

/** The names of the keys that a budget covers. A key matches an owner when it has each of its labels. */
function memberNames(keys: BudgetKeys, known: readonly Owned[]): readonly string[] {
  if (keys === "all") return known.map(({ name }) => name);
  if (isList(keys)) return keys;
  const isMember = ({ owner }: Owned) =>
    OWNER_LABELS.every(([label, field]) => keys[label] === undefined || owner[field] === keys[label]);
  return known.filter(isMember).map(({ name }) => name);
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(keys: BudgetKeys | undefined): keys is readonly string[] {
  return Array.isArray(keys);
}
