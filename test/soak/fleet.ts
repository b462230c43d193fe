import type { Reset } from "../gateway/windows.ts";
import type { NewKey } from "../gateway/world.ts";

/** The keys of a soak, with every kind of limit. */
export function fleet(size: number): NewKey[] {
  return Array.from({ length: size }, (_, index) => ({
    name: `key-${String(index).padStart(5, "0")}`,
    limitReset: resetOf(index),
    limitMicros: index % 5 === 4 ? null : (LIMITS[index % LIMITS.length] ?? null),
    includeByokInLimit: index % 7 === 0,
  }));
}

export function resetOf(index: number): Reset | null {
  return RESETS[index % RESETS.length] ?? null;
}

/** Keys that reloads remove and restore: the last ones. */
export function comersAndGoers(names: readonly string[]): readonly string[] {
  return names.slice(-Math.max(2, Math.floor(names.length / 500)));
}

/** The keys of one team, for a budget over named keys: the first ones. */
export function team(names: readonly string[]): readonly string[] {
  return names.slice(0, 20);
}

const RESETS: readonly (Reset | null)[] = ["daily", "weekly", "monthly", null, null];

/** Some are used up within minutes. */
const LIMITS = [5_000_000, 500_000_000, 50_000_000, 20_000, 1_000_000_000, 2_000_000_000];
