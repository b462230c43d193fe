import { decimalRest } from "../metrics/decimal-sum.ts";
import { targetId } from "../readings/target-id.ts";
import type { TargetReadings } from "../keys/watched-keys.ts";

/**
 * The account's balance in credits, if it bounds what keys can spend. Undefined: it is not known or too old, or the account is billed
 * otherwise because it has bought nothing, or it buys credits by itself before they run out.
 */
export function balanceOf(readings: TargetReadings): number | undefined {
  const value = readings.isCurrent(CREDITS) ? readings.latest(CREDITS)?.value : undefined;
  if (value?.kind !== "credits" || value.boughtCredits <= 0) return undefined;
  const balance = decimalRest(value.boughtCredits, [value.usedCredits]);
  return value.topUp && balance >= value.topUp.below ? undefined : balance;
}

const CREDITS = targetId("account", "credits");
