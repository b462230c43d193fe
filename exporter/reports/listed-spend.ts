import { labelText, shownLabel } from "../collectors/label-text.ts";
import type { Amounts } from "../gateway/port.ts";
import { answerProblems, lineProblems } from "./answer-problems.ts";
import { pricedAmounts, restOf, totalAmounts } from "./amounts.ts";
import type { PartialSpend, PricedWindow, ReportDimension, ReportGateway } from "./report.ts";

/** The spend by a dimension of the gateway: one line for each of its rows. */
export function listedSpend(
  by: ReportDimension,
  gateway: Pick<ReportGateway, "usage">,
): (part: PricedWindow) => Promise<PartialSpend> {
  return async ({ window, price }) => {
    const dimensions = [by === "key" ? "api_key_id" : by];
    const question = { range: window, pairs: true, total: true, rates: false, dimensions };
    const usage = await gateway.usage(question, `spend by ${by}`);
    const { pairs, truncated, unreadableRows, warnings } = usage;
    const total = totalAmounts(usage.total, price);
    const lines = pairs.map(({ model, amounts }) => ({
      name: shownLabel(labelText(model ?? "")),
      ...pricedAmounts(usedAmounts(amounts), price),
    }));
    return {
      lines,
      total,
      computedAtMs: usage.computedAtMs,
      problems: [
        ...(truncated ? ["the gateway has more rows than it sends; they are part of the rest"] : []),
        ...(unreadableRows > 0 ? [`${unreadableRows} rows cannot be read; they are part of the rest`] : []),
        ...(warnings > 0 ? ["the gateway warns about the query, so amounts may be missing"] : []),
        ...answerProblems(usage, "the account"),
        ...lineProblems(lines, restOf(total, lines), by),
      ],
    };
  };
}

/** A row without requests has spent nothing, even if the gateway sends no amount. */
function usedAmounts(amounts: Amounts): Amounts {
  return amounts.requests === 0 ? { ...amounts, credits: amounts.credits ?? 0 } : amounts;
}
