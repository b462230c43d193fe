import type { BudgetKeys } from "./schema.ts";
import type { KeyConfig } from "../config.ts";

/** What decides whether a key belongs to a budget. */
export type Owned = Pick<KeyConfig, "name" | "owner">;

/** Names of the keys that a budget is over; an owner is matched in each label that is named. */
export function memberNames(keys: BudgetKeys, known: readonly Owned[]): readonly string[] {
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
function isList(keys: Exclude<BudgetKeys, "all">): keys is readonly string[] {
  return Array.isArray(keys);
}
