import { decimalSum } from "../../metrics/decimal-sum.ts";
import { isOther, type PairRow, type QueryRow, wholeCredits } from "../target-rows.ts";
import type { HourlySpend } from "../spend-hours.ts";
import { type Axis, axisAddress } from "../view.ts";
import { counted, credits, shareText } from "./amount.ts";
import { foreign, type Html, html, Later } from "./html.ts";
import { hourBars } from "./hours.ts";
import { least, queryTitle } from "./queries.ts";

/** A model or an app with its credits in the window of each query; undefined: the answer does not name it. */
export interface Ranked {
  readonly name: string;
  readonly amounts: readonly (number | undefined)[];
}

/** Models or apps, the most expensive of the month first; `within`: only those of an app or a model. */
export function ranked(queries: readonly QueryRow[], axis: Axis, within?: string): readonly Ranked[] {
  const other = OTHER_AXIS[axis];
  const isWanted = (pair: PairRow) => !isOther(pair) && (within === undefined || pair[other] === within);
  const groups = queries.map(({ pairs }) => Map.groupBy(pairs.filter(isWanted), (pair) => pair[axis]));
  const names = new Set(groups.flatMap((group) => [...group.keys()]));
  const order = ["month", "day", "last_month", "last_day"].map((name) =>
    queries.findIndex((query) => query.name === name),
  );
  const amountsOf = (name: string) =>
    groups.map((group) => {
      const pairs = group.get(name);
      return pairs && decimalSum(pairs.map((pair) => pair.credits));
    });
  return [...names]
    .map((name) => ({ name, amounts: amountsOf(name) }))
    .toSorted(
      (one, its) =>
        order.reduce((sign, index) => sign || compared(its.amounts[index], one.amounts[index]), 0) ||
        (one.name < its.name ? -1 : 1),
    );
}

export const OTHER_AXIS = { model: "app", app: "model" } as const;

function compared(one = Number.NEGATIVE_INFINITY, other = Number.NEGATIVE_INFINITY): number {
  return one === other ? 0 : one - other;
}

const SHOWN = 200;

/** A table of models or apps with the columns of the windows; `isWhole`: of all spend; `hours`: the spend of today. */
export function rankingSection(
  title: string,
  rows: readonly Ranked[],
  queries: readonly QueryRow[],
  axis: Axis,
  { isWhole = false, hours }: { readonly isWhole?: boolean; readonly hours?: HourlySpend | undefined } = {},
): Html {
  const hidden = rows.length - SHOWN;
  const foot = isWhole ? [otherRow(queries), totalRow(queries)] : [];
  return html`<section class="card wide">
    <div class="scroll" role="region" aria-labelledby="ranking" tabindex="0">
      <table class="sheet">
        <caption>
          <h2 id="ranking">${title}</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">${axis === "model" ? "Model" : "App"}</th>
            ${queries.map((query) => html`<th scope="col" class="number">${columnTitle(query)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.slice(0, SHOWN).map((row) => new Later(() => rankRow(row, queries, axis, hours)))} ${foot}
        </tbody>
      </table>
    </div>
    ${hidden > 0 ? html`<p class="more">… and ${counted(hidden, "more", "more")}.</p>` : undefined}
    <p class="note">
      Amounts are credits. Empty: not among the pairs of a model and an app that the exporter names in the
      window; — means unknown. ${leastNote(queries.filter(isLowerBound))}
    </p>
  </section>`;
}

function leastNote(bounds: readonly QueryRow[]): Html | undefined {
  if (bounds.length === 0) return undefined;
  // Without a total, `_other` lacks what the answer lacks.
  const isUnknown = bounds.some((query) => wholeCredits(query) === undefined);
  return html`“At least”: further pairs are ${isUnknown ? "unknown or " : ""}part of <code>_other</code>.`;
}

/** Whether pairs that are not named, or not known, may contain more of a model or an app. */
export function isLowerBound({ pairs, foldedPairs = 0, truncated, isLeast }: QueryRow): boolean {
  return foldedPairs > 0 || truncated === true || isLeast === true || pairs.some(isOther);
}

function columnTitle(query: QueryRow): Html {
  return html`${queryTitle(query.name)}${isLowerBound(query) ? html`<small>at least</small>` : undefined}`;
}

function rankRow(
  { name, amounts }: Ranked,
  queries: readonly QueryRow[],
  axis: Axis,
  hours: HourlySpend | undefined,
): Html {
  const pictureOf = (query: QueryRow) =>
    query.name === "day" ? hourBars(hours?.byName.get(name) ?? []) : undefined;
  return html`<tr>
    <th scope="row"><a href="${axisAddress(axis, name)}">${foreign(name)}</a></th>
    ${queries.map((query, index) => amountCell(query, amounts[index], pictureOf(query)))}
  </tr>`;
}

function amountCell(query: QueryRow, amount: number | undefined, picture?: Html): Html {
  const { name, dataMs } = query;
  const total = wholeCredits(query);
  const share =
    amount !== undefined && amount >= 0 && total !== undefined && total > 0
      ? html`<small>${shareText(amount / total)}</small>`
      : undefined;
  if (amount === undefined && dataMs !== undefined) return html`<td></td>`;
  const label = `${queryTitle(name)}${isLowerBound(query) ? ", at least" : ""}`;
  return html`<td class="number" data-label="${label}">${credits(amount)}${share}${picture}</td>`;
}

function otherRow(queries: readonly QueryRow[]): Html {
  const cells = queries.map((query) => amountCell(query, query.pairs.find(isOther)?.credits));
  return html`<tr class="rest">
    <th scope="row"><bdi>_other</bdi></th>
    ${cells}
  </tr>`;
}

function totalRow(queries: readonly QueryRow[]): Html {
  return html`<tr class="rest">
    <th scope="row">In all</th>
    ${queries.map(
      (query) =>
        html`<td class="number" data-label="${queryTitle(query.name)}">
          ${least(query.isLeast, query.credits)}${credits(query.credits)}
        </td>`,
    )}
  </tr>`;
}
