import { decimalSum } from "../../metrics/decimal-sum.ts";
import { isOther, type PairRow, type QueryRow, type TargetRow, wholeCredits } from "../target-rows.ts";
import { axisAddress } from "../view.ts";
import { bar, count, counted, credits, shareText, UNKNOWN } from "./amount.ts";
import { foreign, type Html, html, Later } from "./html.ts";
import { answerAge, stateMark } from "./marks.ts";
import { ago, dateText, monthText } from "./time.ts";

/** Maximum number of pairs of a window that are shown by name. */
const PAIRS_SHOWN = 8;

/** Spend of models and apps in each window. */
export function queriesSection(queries: readonly QueryRow[], nowMs: number): Html {
  if (queries.length === 0) return html``;
  return html`<section aria-labelledby="queries">
    <h2 id="queries">Models and apps</h2>
    <div class="windows">${queries.map((query) => new Later(() => queryCard(query, nowMs)))}</div>
    <p class="note">
      <code>_other</code> is everything that is not shown by name, so that the rows add up to the total.
      <code>_none</code> means that the gateway names no model or no app.
    </p>
  </section>`;
}

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

function queryCard(query: QueryRow, nowMs: number): Html {
  const id = `query-${query.name}`;
  return html`<article class="card" aria-labelledby="${id}">
    <header>
      <h3 id="${id}">${queryTitle(query.name)} <small>${windowText(query)}</small></h3>
      <p class="when">${stateMark(query)} ${dataAge(query, nowMs)}</p>
    </header>
    <dl>
      <div>
        <dt>Credits</dt>
        <dd>${least(query.isLeast, query.credits)}${credits(query.credits)}</dd>
      </div>
      <div>
        <dt>Requests</dt>
        <dd>${least(query.isRequestsLeast, query.requests)}${count(query.requests)}</dd>
      </div>
    </dl>
    ${query.pairs.length > 0 ? pairsTable(query, id) : noPairs(query)} ${truncation(query)} ${excess(query)}
  </article>`;
}

/** What precedes an amount that is only a lower bound. */
export function least(isLeast: boolean | undefined, amount: number | undefined): Html | undefined {
  return isLeast && amount !== undefined ? html`<span class="soft">at least</span> ` : undefined;
}

/** The day or the month of a query; empty if unknown. */
export function windowText({ name, windowStartMs }: QueryRow): string {
  if (windowStartMs === undefined) return "";
  return name.endsWith("month") ? monthText(windowStartMs) : dateText(windowStartMs);
}

/** Data of the current window may be older than the answer that contains them. Data of a past window do not age. */
export function dataAge(query: TargetRow & { readonly dataMs: number | undefined }, nowMs: number): Html {
  const { name, state, dataMs } = query;
  const isRunning = !name.startsWith("last_");
  const age =
    state === "up" && isRunning && dataMs !== undefined ? ago(dataMs, nowMs) : answerAge(query, nowMs);
  return html`<small>${age}</small>`;
}

function noPairs(query: QueryRow): Html {
  if (query.dataMs === undefined)
    return html`<p class="empty">There are no current data for this window.</p>`;
  return wholeCredits(query) === 0
    ? html`<p class="empty">The gateway reports no spend in this window.</p>`
    : html`<p class="empty">What models and apps spent in this window is unknown.</p>`;
}

function pairsTable(query: QueryRow, id: string): Html {
  const named = query.pairs.filter((pair) => !isOther(pair));
  const [more, total] = [named.slice(PAIRS_SHOWN), wholeCredits(query)];
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
    <table>
      <caption class="hidden">
        ${queryTitle(query.name)}: the most expensive models and apps
      </caption>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col">App</th>
          <th scope="col" class="number">Credits</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        ${named.slice(0, PAIRS_SHOWN).map((pair) => pairRow(pair, total))}
        ${more.length > 0 ? moreRow(more, total) : undefined}
        ${query.pairs.filter(isOther).map((pair) => otherRow(pair, query))}
      </tbody>
    </table>
  </div>`;
}

function pairRow({ model, app, credits: amount }: PairRow, total: number | undefined): Html {
  return html`<tr>
    <th scope="row"><a href="${axisAddress("model", model)}">${foreign(model)}</a></th>
    <td class="text"><a href="${axisAddress("app", app)}">${foreign(app)}</a></td>
    ${amountCells(amount, total)}
  </tr>`;
}

function moreRow(pairs: readonly PairRow[], total: number | undefined): Html {
  const amount = decimalSum(pairs.map((pair) => pair.credits));
  return html`<tr class="rest">
    <th scope="row" colspan="2">… and ${counted(pairs.length, "more pair")}</th>
    ${amountCells(amount, total)}
  </tr>`;
}

function otherRow({ credits: amount }: PairRow, query: QueryRow): Html {
  const { foldedPairs = 0 } = query;
  const what = foldedPairs > 0 ? `, ${counted(foldedPairs, "pair")}` : "";
  return html`<tr class="rest">
    <th scope="row" colspan="2"><bdi>_other</bdi>${what}</th>
    ${amountCells(amount, wholeCredits(query))}
  </tr>`;
}

/** There is no share of a total of 0, and no meaningful share for a negative amount (a discount). */
export function amountCells(amount: number | undefined, total: number | undefined): Html {
  const isShare = amount !== undefined && total !== undefined && total > 0 && amount >= 0;
  const share = isShare ? amount / total : undefined;
  return html`<td class="number">${credits(amount)}</td>
    <td class="share">
      ${share === undefined ? UNKNOWN : html`${bar(share)}<span>${shareText(share)}</span>`}
    </td>`;
}

function truncation(query: QueryRow): Html | undefined {
  if (query.truncated !== true) return undefined;
  if (wholeCredits(query) === undefined)
    return html`<p class="note">
      The gateway returned neither all pairs nor a complete total: what the rest spent is unknown.
    </p>`;
  return html`<p class="note">
    The gateway has more pairs than it returned: the rest is part of <code>_other</code>. The total is
    complete.
  </p>`;
}

function excess({ exceedsTotal }: QueryRow): Html | undefined {
  if (exceedsTotal !== true) return undefined;
  return html`<p class="note">
    The rows of the gateway add up to more than its total, which is shown above.
  </p>`;
}
