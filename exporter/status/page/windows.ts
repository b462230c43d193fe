import type { Overview } from "../overview.ts";
import { isOther, type QueryRow, wholeCredits } from "../target-rows.ts";
import { counted, credits, price, separated, shareText, tile } from "./amount.ts";
import { type Html, html } from "./html.ts";
import { answerAge, stateMark } from "./marks.ts";
import { ago, dateText, monthText } from "./time.ts";

const TITLES: ReadonlyMap<string, string> = new Map([
  ["day", "Today"],
  ["last_day", "Yesterday"],
  ["week", "This week"],
  ["month", "This month"],
  ["last_month", "Last month"],
]);

/** The window of a query, for a person. */
export function queryTitle(name: string): string {
  return TITLES.get(name) ?? name.replace("_", " ");
}

/** The credits of each window: in all, or those of one model or app. */
export function windowTiles(
  { queries, nowMs, creditValue }: Pick<Overview, "queries" | "nowMs" | "creditValue">,
  amounts?: readonly (number | undefined)[],
): Html {
  const tiles = queries.map((query, index) => {
    const { name, windowStartMs = 0, dataMs, isLeast, requests, isRequestsLeast } = query;
    const amount = amounts ? amounts[index] : query.credits;
    const share = amounts && shareOf(amount, wholeCredits(query));
    const notes = separated([
      price(amount, creditValue, windowStartMs),
      share === undefined ? undefined : html`${shareText(share)} of all`,
      amounts || requests === undefined
        ? undefined
        : html`${least(isRequestsLeast, requests)}${counted(requests, "request")}`,
    ]);
    // Data of the current window may be older than the answer. Those of a past window do not age.
    const isRunning = query.state === "up" && !name.startsWith("last_") && dataMs !== undefined;
    const age = isRunning ? ago(dataMs, nowMs) : answerAge(query, nowMs);
    const when = name.endsWith("month") ? monthText(windowStartMs) : dateText(windowStartMs);
    const title = html`${queryTitle(name)}<br />${query.windowStartMs === undefined ? "" : when}`;
    const bound = least(amounts ? isLowerBound(query) : isLeast, amount);
    return tile(title, html`${bound}${credits(amount)}`, html`${notes}<br />${stateMark(query)} ${age}`);
  });
  return html`<dl class="summary">${tiles}</dl>`;
}

/** What precedes an amount that is only a lower bound. */
export function least(isLeast: boolean | undefined, amount: number | undefined): Html | undefined {
  return isLeast && amount !== undefined ? html`<span class="soft">at least</span> ` : undefined;
}

/** Whether pairs that are not named, or not known, may contain more of a model or an app. */
export function isLowerBound({ pairs, truncated, isLeast }: QueryRow): boolean {
  return truncated === true || isLeast === true || pairs.some(isOther);
}

/** Undefined: there is no meaningful share, as of a total of 0, of a refund, or of a total that is older than the amount. */
export function shareOf(amount: number | undefined, total: number | undefined): number | undefined {
  if (amount === undefined || total === undefined || total <= 0 || amount < 0) return undefined;
  return amount > total ? undefined : amount / total;
}
