import { connectionAttacks } from "./connection-attacks.ts";
import { reloadAttacks, requestAttacks } from "./request-attacks.ts";
import type { ClientAttack } from "./target.ts";

/** Every attack of a client, by name. */
export const clientAttacks: ReadonlyMap<string, ClientAttack> = new Map(
  Object.entries({ ...connectionAttacks, ...requestAttacks, ...reloadAttacks }),
);
