import type { Account, Key } from "../entities.ts";
import type { Switches } from "../switches.ts";
import type { World } from "../world.ts";

/** The keys of an account that a listing may show: neither deleted nor management keys. */
export function listedKeys(world: World, account: Account, order: Switches["keysOrder"]): readonly Key[] {
  const keys = [...world.keys.values()].filter(
    (key) => key.account === account && key.deletedAt === null && !key.management && !key.keyless,
  );
  const sign = order === "oldest_first" ? 1 : -1;
  return keys.toSorted((left, right) => sign * (left.createdAt - right.createdAt || left.id - right.id));
}
