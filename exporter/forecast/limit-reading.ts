import { decimalRest } from "../metrics/decimal-sum.ts";
import { type CreditsReading, type KeyReading, WINDOW_OF_RESET } from "../readings/reading.ts";
import type { LimitReading } from "./forecaster.ts";

/** What an answer says about the limit of its key, or about the balance of the account. */
export function limitReading(value: KeyReading | CreditsReading, atMs: number): LimitReading {
  return value.kind === "key" ? ofKey(value, atMs) : ofAccount(value, atMs);
}

function ofKey(value: KeyReading, atMs: number): LimitReading {
  const { limitCredits, remainingCredits, limitReset, limitWindow, usage, layers, isDisabled } = value;
  const { total, day, week, month } = value.limitUsage ?? usage;
  const window = limitReset && WINDOW_OF_RESET[limitReset];
  return {
    atMs,
    usedCredits: total,
    countsByok: value.limitUsage !== undefined,
    // A key without a limit of its own may be bound by the budgets around it, so it is not unlimited.
    limitCredits: layers ? (limitCredits ?? undefined) : limitCredits,
    remainingCredits: remainingCredits ?? undefined,
    nextResetMs: limitReset === "never" ? "never" : window && limitWindow?.endMs,
    window,
    usedToday: day,
    usedThisWeek: week,
    usedThisMonth: month,
    ...(isDisabled && { isDisabled }),
  };
}

function ofAccount({ boughtCredits, usedCredits, topUp }: CreditsReading, atMs: number): LimitReading {
  return {
    atMs,
    usedCredits,
    limitCredits: boughtCredits,
    remainingCredits: decimalRest(boughtCredits, [usedCredits]),
    nextResetMs: "never",
    topUpBelow: topUp?.below,
  };
}
