import type { AccountKey } from "../gateway/account.ts";
import { DAY_MS } from "../time/window.ts";

/** What makes a listed key more dangerous than it must be, should it leak. */
export type KeyFinding = "no_limit" | "no_expiry" | "unused";

/** The findings of a key at an instant; none for a disabled key, nor where the service does not send what is needed. */
export function keyFindings(key: AccountKey, nowMs: number): readonly KeyFinding[] {
  if (key.disabled === true) return [];
  return [
    ...(key.information.limitCredits === null ? (["no_limit"] as const) : []),
    ...(key.neverExpires ? (["no_expiry"] as const) : []),
    ...(nowMs - idleSince(key) > UNUSED_MS ? (["unused"] as const) : []),
  ];
}

const UNUSED_MS = 90 * DAY_MS;

/** NaN: unknown. */
function idleSince({ lastUsedAtMs, createdAtMs }: AccountKey): number {
  return lastUsedAtMs === null
    ? Math.max(createdAtMs ?? Number.NaN, COUNTED_SINCE)
    : (lastUsedAtMs ?? Number.NaN);
}

/** The service knows no use before (vendor-2026-10, 3). */
const COUNTED_SINCE = Date.UTC(2026, 0, 1);
