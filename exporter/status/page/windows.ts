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
    const amount = amounts ? amounts[index] : query.credits;
    const bound = least(amounts ? isLowerBound(query) : query.isLeast, amount);
    const notes = separated([
      price(amount, creditValue, query.windowStartMs ?? 0),
      amounts ? shareNote(amount, query) : requestsText(query),
    ]);
    const state = html`${stateMark(query)} ${dataAge(query, nowMs)}`;
    const title = html`${queryTitle(query.name)}<br />${windowText(query)}`;
    return tile(title, html`${bound}${credits(amount)}`, html`${notes}<br />${state}`);
  });
  return html`<dl class="summary">${tiles}</dl>`;
}

function shareNote(amount: number | undefined, query: QueryRow): Html | undefined {
  const share = shareOf(amount, wholeCredits(query));
  return share === undefined ? undefined : html`${shareText(share)} of all`;
}

function requestsText({ requests, isRequestsLeast }: QueryRow): Html | undefined {
  if (requests === undefined) return undefined;
  return html`${least(isRequestsLeast, requests)}${counted(requests, "request")}`;
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

/** The day or the month of a query; empty if unknown. */
function windowText({ name, windowStartMs }: QueryRow): string {
  if (windowStartMs === undefined) return "";
  return name.endsWith("month") ? monthText(windowStartMs) : dateText(windowStartMs);
}

/** Data of the current window may be older than the answer that contains them. Data of a past window do not age. */
function dataAge(query: QueryRow, nowMs: number): Html {
  const { name, state, dataMs } = query;
  const isRunning = state === "up" && !name.startsWith("last_");
  return isRunning && dataMs !== undefined ? ago(dataMs, nowMs) : answerAge(query, nowMs);
}
