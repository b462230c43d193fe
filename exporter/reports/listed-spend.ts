import { labelText, shownLabel } from "../collectors/label-text.ts";
import { answerProblems } from "./answer-problems.ts";
import { pricedAmounts, totalAmounts } from "./amounts.ts";
import type { PartialSpend, PricedWindow, ReportDimension, ReportGateway } from "./report.ts";

/** The spend by a dimension of the gateway: one line for each of its rows. */
export function listedSpend(
  by: ReportDimension,
  gateway: Pick<ReportGateway, "usage">,
): (part: PricedWindow) => Promise<PartialSpend> {
  return async ({ window, price }) => {
    const dimensions = [by === "key" ? "api_key_id" : by];
    const question = { range: window, pairs: true, total: true, rates: false, dimensions };
    const usage = await gateway.usage(question);
    const { pairs, total, truncated, unreadableRows, warnings } = usage;
    return {
      lines: pairs.map(({ model, amounts }) => ({
        name: shownLabel(labelText(model ?? "")),
        ...pricedAmounts(amounts, price),
      })),
      total: totalAmounts(total, price),
      computedAtMs: usage.computedAtMs,
      problems: [
        ...(truncated ? ["the gateway has more rows than it sends; they are part of the rest"] : []),
        ...(unreadableRows > 0 ? [`${unreadableRows} rows cannot be read; they are part of the rest`] : []),
        ...(warnings > 0 ? ["the gateway warns about the query, so amounts may be missing"] : []),
        ...answerProblems(usage, "the account"),
      ],
    };
  };
}
