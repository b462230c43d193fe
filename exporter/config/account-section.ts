import type { z } from "zod";
import { positiveNumber, section } from "./field.ts";
import { has, withRules } from "./rules.ts";

const fields = section({
  top_up_below: positiveNumber()
    .optional()
    .describe(
      "The account buys credits by itself once its balance is below this many credits. Then no alert announces that it runs out, unless a purchase is missing for 30 minutes.",
    ),
  top_up: positiveNumber().optional().describe("Credits of such a purchase, for the status page."),
  low_balance: positiveNumber()
    .optional()
    .describe("Credits below which AIGatewayAccountBalanceLow fires, whatever the forecast says."),
});

/** The section `account`. */
export const accountSection = withRules(fields, (account, report) => {
  if (has(account, "top_up_below") !== has(account, "top_up"))
    report([], "needs top_up_below and top_up together");
});

/** What the operator knows about the balance of the account, in credits. Without `topUp` credits are bought by hand. */
export function accountConfig({
  top_up_below: below,
  top_up: credits,
  low_balance: lowBalance,
}: z.output<typeof fields>) {
  const topUp = below === undefined || credits === undefined ? undefined : { below, credits };
  return { topUp, lowBalance };
}

export type AccountConfig = Readonly<ReturnType<typeof accountConfig>>;
