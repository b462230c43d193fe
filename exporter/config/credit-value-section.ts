import { utcDate } from "./budgets/schema.ts";
import { list, pattern, positiveNumber, section } from "./field.ts";
import { entriesOf, right, withRules } from "./rules.ts";

const formerValueSection = section({
  until: utcDate().describe("When the price ended."),
  value: positiveNumber().describe("Price of one credit before that, in the same currency."),
});

/** The price of a credit, now and in the past. */
export const creditValueSection = withRules(
  section({
    currency: pattern(/^[A-Z]{3}$/, "currency")
      .prefault("USD")
      .describe("Currency as in ISO 4217."),
    value: positiveNumber().prefault(1).describe("Price of one credit in that currency."),
    former: list(formerValueSection).prefault([]).describe("Past prices, for reports, the oldest first."),
  }),
  (creditValue, report) => {
    const untils = entriesOf(creditValue, "former").map((former) => right(former, "until") ?? Number.NaN);
    for (const [index, until] of untils.entries())
      if (until <= (untils[index - 1] ?? Number.NEGATIVE_INFINITY))
        report(["former", index, "until"], "must be later than the one before it");
  },
);
