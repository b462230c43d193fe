import type { KeyConfig } from "../config/config.ts";
import type { ListedNames } from "../readings/listed-name.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import { type KeyRow, keyRowOf } from "./target-rows.ts";

/**
 * The configured keys, in their order. While the polls of one have no current answer, its figures are those of a list of
 * the account, as in `/metrics`.
 */
export function keyRows(
  keys: readonly KeyConfig[],
  readings: ReadingSource,
  listed: ListedNames,
): readonly KeyRow[] {
  const ids = idsOf.get(keys) ?? keys.map(({ name }) => targetId("key", name));
  idsOf.set(keys, ids);
  const unanswered = new Map<string, number>();
  const rows = keys.map(({ name, owner }, index) => {
    const id = ids[index] ?? targetId("key", name);
    const shown = readings.shown(id);
    if (shown?.value?.kind !== "key") unanswered.set(name, index);
    return keyRowOf({ id, name, owner }, readings, shown);
  });
  // No map of all names is made, because a page may be drawn each second.
  for (const names of listed.values()) {
    for (const [hash, { name }] of names) {
      if (unanswered.size === 0) return rows;
      const index = unanswered.get(name);
      const row = index === undefined ? undefined : rows[index];
      if (index === undefined || !row) continue;
      const shown = readings.shown(targetId("behind", hash));
      if (shown?.value?.kind !== "key") continue;
      unanswered.delete(name);
      rows[index] = { ...keyRowOf(row, readings, shown), isFromList: true };
    }
  }
  return rows;
}

/** A new string must be hashed for each look at the readings: a fifth of the time of ten thousand rows. */
const idsOf = new WeakMap<readonly KeyConfig[], readonly TargetId[]>();
