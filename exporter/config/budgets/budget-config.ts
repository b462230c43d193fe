import type { BudgetConfig, BudgetScope, KeyConfig } from "../config.ts";
import { quote } from "../quote.ts";
import { type Checked, type Finding, right } from "../rules.ts";
import type { BudgetEntry, BudgetKeys } from "./schema.ts";

/** The properties that decide whether a key belongs to a budget. */
export type Owned = Pick<KeyConfig, "name" | "owner">;

/** A checked entry of `budgets`, with the keys that it covers. */
export function budgetConfig(entry: BudgetEntry, known: readonly Owned[]): BudgetConfig {
  const { name, limit, window, since = 0 } = entry;
  return {
    name,
    limit,
    period: window === "total" ? { kind: window, sinceMs: since } : { kind: window },
    scope: scopeOf(entry, known),
    team: entry.team ?? teamOf(entry) ?? "",
  };
}

/** Finds keys that do not exist, and budgets that cover no key. */
export function memberFindings(
  budgets: readonly Checked<BudgetEntry>[],
  known: readonly Owned[],
): readonly Finding[] {
  const names = new Set(known.map(({ name }) => name));
  return budgets.flatMap((budget, index) => {
    const keys = right(budget, "keys");
    if (keys === undefined) return [];
    const path = ["budgets", index, "keys"];
    if (isList(keys)) return listFindings(path, keys, names);
    if (memberNames(keys, known).length > 0) return [];
    return [{ path, message: keys === "all" ? "no key is configured" : "no key has this owner" }];
  });
}

function listFindings(
  path: readonly PropertyKey[],
  keys: readonly string[],
  names: ReadonlySet<string>,
): readonly Finding[] {
  const listed = new Set<string>();
  return keys.flatMap((key, index) => {
    const at = [...path, index];
    const isListed = listed.has(key);
    listed.add(key);
    if (isListed) return [{ path: at, message: `${quote(key)} is listed twice` }];
    return names.has(key) ? [] : [{ path: at, message: `${quote(key)} is not a key in keys or keys_dir` }];
  });
}

function scopeOf({ keys, model, app }: BudgetEntry, known: readonly Owned[]): BudgetScope {
  if (keys !== undefined) return { kind: "keys", names: memberNames(keys, known) };
  if (model !== undefined) return { kind: "model", label: model };
  return app === undefined ? { kind: "account" } : { kind: "app", label: app };
}

function teamOf({ keys }: BudgetEntry): string | undefined {
  return typeof keys === "object" && "team" in keys ? keys.team : undefined;
}

/** The names of the keys that a budget covers. A key matches an owner when it has each of its labels. */
function memberNames(keys: BudgetKeys, known: readonly Owned[]): readonly string[] {
  if (keys === "all") return known.map(({ name }) => name);
  if (isList(keys)) return keys;
  const { team, project, cost_center: costCenter } = keys;
  const members = known.filter(
    ({ owner }) =>
      (team === undefined || owner.team === team) &&
      (project === undefined || owner.project === project) &&
      (costCenter === undefined || owner.costCenter === costCenter),
  );
  return members.map(({ name }) => name);
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(keys: BudgetKeys): keys is readonly string[] {
  return Array.isArray(keys);
}
