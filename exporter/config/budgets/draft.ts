import { z } from "zod";
import { BUDGET_SCOPES, type BudgetKeys, budgetSection } from "./schema.ts";
import { memberNames, type Owned } from "./members.ts";
import type { Problem } from "../problem.ts";
import { quote } from "../quote.ts";

/** A budget as far as it can be read, whatever else is wrong with it. */
export interface BudgetDraft {
  readonly name: string | undefined;
  /** Undefined: it is not over keys, or cannot be read. */
  readonly keys: BudgetKeys | undefined;
  /** Rules between its own fields that are broken. */
  readonly problems: readonly Problem[];
}

export function budgetDraft(entry: unknown, index: number, hasAnalytics: boolean): BudgetDraft {
  const fields = mapping.safeParse(entry).data;
  if (!fields) return { name: undefined, keys: undefined, problems: [] };
  const at = `budgets[${index}]`;
  const problems = [
    ...scopeProblems(at, fields, hasAnalytics),
    ...sinceProblems(at, fields),
    ...totalProblems(at, fields),
  ];
  const { name, keys } = budgetSection.shape;
  return { name: name.safeParse(fields["name"]).data, keys: keys.safeParse(fields["keys"]).data, problems };
}

/** Keys that do not exist, and budgets that are over no key. */
export function memberProblems(budgets: readonly BudgetDraft[], known: readonly Owned[]): Problem[] {
  const names = new Set(known.map(({ name }) => name));
  return budgets.flatMap(({ keys }, index) => {
    if (keys === undefined) return [];
    const at = `budgets[${index}].keys`;
    if (Array.isArray(keys)) return listProblems(at, keys, names);
    if (memberNames(keys, known).length > 0) return [];
    return [{ path: at, message: keys === "all" ? "there is no key" : "no key has this owner" }];
  });
}

const mapping = z.record(z.string(), z.unknown());

type Fields = Readonly<Record<string, unknown>>;

function scopeProblems(at: string, fields: Fields, hasAnalytics: boolean): Problem[] {
  const given = BUDGET_SCOPES.filter((scope) => fields[scope] !== undefined);
  if (given.length === 0)
    return [{ path: at, message: `is over nothing; set one of ${BUDGET_SCOPES.join(", ")}` }];
  const surplus =
    given.length > 1
      ? [{ path: at, message: `${given.join(" and ")} exclude each other; keep one of them` }]
      : [];
  const unasked = hasAnalytics ? [] : given.filter((scope) => scope !== "keys");
  return [
    ...surplus,
    ...unasked.map((scope) => ({ path: `${at}.${scope}`, message: "needs the section analytics" })),
  ];
}

function sinceProblems(at: string, { window, since }: Fields): Problem[] {
  if (window === "total" && since === undefined)
    return [{ path: `${at}.since`, message: "is missing; window total needs it" }];
  const isOther = budgetSection.shape.window.safeParse(window).success && window !== "total";
  if (!isOther || since === undefined) return [];
  return [{ path: `${at}.since`, message: `is for window total only, and this one is ${quote(window)}` }];
}

/** The usage of a key is known by day, week, month and since it exists, but not since a date. */
function totalProblems(at: string, { window, keys }: Fields): Problem[] {
  if (window !== "total" || keys === undefined) return [];
  return [
    {
      path: `${at}.window`,
      message: '"total" is for account, model and app only: keys tell what they spent by day, week and month',
    },
  ];
}

function listProblems(at: string, keys: readonly string[], names: ReadonlySet<string>): Problem[] {
  return keys.flatMap((key, index) => {
    const path = `${at}[${index}]`;
    if (keys.indexOf(key) < index) return [{ path, message: `${quote(key)} stands in the list already` }];
    return names.has(key) ? [] : [{ path, message: `${quote(key)} is no key of keys or keys_dir` }];
  });
}
