import type { KeyLimit } from "../config/config.ts";
import { decimalRest } from "../metrics/decimal-sum.ts";
import type { BudgetLayer, LimitReset, KeyInformation } from "../gateway/account.ts";

/** Whose limit is shown: the gateway's, or the one in the configuration, which the gateway does not report. */
export const LIMIT_SOURCES = ["gateway", "mirrored"] as const;
export type LimitSource = (typeof LIMIT_SOURCES)[number];

/** What is known about a key, with the limit that has less left. Undefined source: no limit is mirrored. */
export interface LimitedKey {
  readonly information: KeyInformation;
  readonly source: LimitSource | undefined;
}

/**
 * Replaces the gateway's limit by the mirrored one if the mirrored one has less left. If it is unknown what is left of
 * one of them, the other one counts. For a key that is unlimited at the gateway, the mirrored limit counts.
 */
export function lowerLimit(information: KeyInformation, limit: KeyLimit | undefined): LimitedKey {
  if (!limit) return { information, source: undefined };
  const { remainingCredits: mirroredLeft } = mirroredLayer(information, limit);
  if (!isMirroredLower(information, mirroredLeft)) return { information, source: "gateway" };
  const mirrored = {
    limitCredits: limit.credits,
    limitReset: RESET_OF[limit.window],
    remainingCredits: mirroredLeft,
    // Only credits count toward it, so forecasts must not add BYOK.
    byokInLimit: false,
  };
  return { information: { ...information, ...mirrored }, source: "mirrored" };
}

/** The limit that the configuration adds, beside those of the gateway. */
export function mirroredLayer(
  information: KeyInformation,
  limit: KeyLimit,
): Omit<BudgetLayer, "scope" | "id"> {
  const used = information.usage[USAGE_OF[limit.window]];
  return {
    limitCredits: limit.credits,
    spentCredits: used,
    remainingCredits: used === undefined ? undefined : decimalRest(limit.credits, [used]),
    reset: RESET_OF[limit.window],
    resetsAtMs: undefined,
    includesByok: false,
  };
}

function isMirroredLower(
  { limitCredits, remainingCredits }: KeyInformation,
  mirroredLeft: number | undefined,
): boolean {
  if (limitCredits === null || remainingCredits === null || remainingCredits === undefined) return true;
  return mirroredLeft !== undefined && mirroredLeft < remainingCredits;
}

const USAGE_OF = { day: "day", week: "week", month: "month", none: "total" } as const;
const RESET_OF = {
  day: "daily",
  week: "weekly",
  month: "monthly",
  none: "never",
} as const satisfies Record<KeyLimit["window"], LimitReset>;
