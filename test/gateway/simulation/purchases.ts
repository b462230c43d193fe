import { addMovement } from "../account/movements.ts";
import type { Account } from "../entities.ts";
import { DAY, dayStart } from "../windows.ts";

const DAYS_BETWEEN = 30;
/** More than the traffic is expected to spend, so that the balance stays positive. */
const MARGIN = 1.5;

/** A purchase every 30 days, from the beginning of the history on, of round amounts that cover the expected spend. */
export function seedPurchases(
  account: Account,
  plan: { readonly startAt: number; readonly historyDays: number; readonly dailyCredits: number },
): void {
  const credits = Math.ceil((plan.dailyCredits * DAYS_BETWEEN * MARGIN) / 100) * 100;
  for (
    let at = dayStart(plan.startAt) - plan.historyDays * DAY;
    at <= plan.startAt;
    at += DAYS_BETWEEN * DAY
  ) {
    addMovement(account, { at, kind: "purchase", micros: credits * 1_000_000 });
  }
}
