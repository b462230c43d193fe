import { isUsable } from "./limits.ts";
import { Refusal } from "./refusal.ts";
import type { Key } from "./entities.ts";
import type { World } from "./world.ts";

/** The key that a request names, whether it may be used or not; null when there is none (section 5). */
export function keyOf(world: World, authorization: string | undefined): Key | null {
  const match = /^Bearer +(\S+)$/iu.exec(authorization ?? "");
  return world.keysByToken.get(match?.[1] ?? "") ?? null;
}

/** A missing, unknown, disabled or expired key gets 401. */
export function requireUsable(key: Key | null, at: number): Key {
  if (key === null) throw new Refusal(401, "No or unknown API key");
  if (key.disabled) throw new Refusal(401, "API key is disabled");
  if (!isUsable(key, at)) throw new Refusal(401, "API key is expired");
  return key;
}

/** Analytics need a management key; any other valid key gets 403 (section 5 rule 2). */
export function requireManagement(key: Key): void {
  if (!key.management) throw new Refusal(403, "Only management keys can query analytics");
}
