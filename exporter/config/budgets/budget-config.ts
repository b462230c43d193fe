import { memberNames, type Owned } from "./members.ts";
import type { BudgetEntry } from "./schema.ts";
import type { BudgetConfig, BudgetScope } from "../config.ts";

/** A checked entry of `budgets`, with the keys that it is over. */
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

function scopeOf({ keys, model, app }: BudgetEntry, known: readonly Owned[]): BudgetScope {
  if (keys !== undefined) return { kind: "keys", names: memberNames(keys, known) };
  if (model !== undefined) return { kind: "model", label: model };
  return app === undefined ? { kind: "account" } : { kind: "app", label: app };
}

function teamOf({ keys }: BudgetEntry): string | undefined {
  return typeof keys === "object" && "team" in keys ? keys.team : undefined;
}
