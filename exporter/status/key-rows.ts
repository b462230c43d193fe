import type { KeyConfig } from "../config/config.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { type TargetId, targetId } from "../readings/target-id.ts";
import { type KeyRow, keyRowOf } from "./target-rows.ts";

/**
 * The configured keys, in their order. While the polls of one have no current answer, its figures are those
 * of a list of the account, as in `/metrics`.
 */
export function keyRows(keys: readonly KeyConfig[], readings: ReadingSource): readonly KeyRow[] {
  const ids = idsOf.get(keys) ?? keys.map(({ name }) => targetId("key", name));
  idsOf.set(keys, ids);
  return keys.map(({ name, owner }, index) => {
    const id = ids[index] ?? targetId("key", name);
    const polled = readings.shown(id);
    if (polled?.value?.kind === "key") return keyRowOf({ id, name, owner }, readings, polled);
    const listed = readings.shown(targetId("behind", name));
    const row = keyRowOf({ id, name, owner }, readings, listed);
    return listed?.value?.kind === "key" ? { ...row, isFromList: true } : row;
  });
}

/** A new string must be hashed for each look at the readings: a fifth of the time of ten thousand rows. */
const idsOf = new WeakMap<readonly KeyConfig[], readonly TargetId[]>();
