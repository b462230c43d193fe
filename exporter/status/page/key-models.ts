import type { KeyModels } from "../key-models.ts";
import { credits } from "./amount.ts";
import { foreign, type Html, html } from "./html.ts";
import { stateMark } from "./marks.ts";
import { amountCells, dataAge, queryTitle } from "./queries.ts";

/** What a key spends by model in each window. Empty if no query asks for that. */
export function keyModelsSection(windows: readonly KeyModels[], nowMs: number): Html {
  const [first] = windows;
  if (!first) return html``;
  const name = foreign(first.label ?? "", 64);
  const why = unknownText(first, name);
  if (why)
    return html`<section class="card" aria-labelledby="models">
      <h2 id="models">Models</h2>
      <p>Unknown: ${why}</p>
    </section>`;
  return html`<section aria-labelledby="models">
    <h2 id="models">Models</h2>
    <div class="windows">${windows.map((each) => card(each, nowMs))}</div>
    <p class="note">
      By the name of the key at the gateway, ${name}: a deleted key of that name is part of it.
      <code>_other</code> is every model of the key that is not shown by name.
    </p>
  </section>`;
}

const UNNAMED = html`the gateway reports this by the names that keys have there, and no list of the account’s
  keys shows this one. The section <code>discovery</code> of the configuration lists them.`;

const NAMELESS = html`the gateway reports this by the names that keys have there, and this key has none.`;

/** Why nothing is known in any window. */
function unknownText({ gap, label }: KeyModels, name: Html): Html | undefined {
  if (gap === "shared") return sharedText(name);
  if (gap !== "unnamed") return undefined;
  return label === undefined ? UNNAMED : NAMELESS;
}

function sharedText(name: Html): Html {
  return html`several keys have the name ${name} at the gateway, which reports them as one.`;
}

function card(row: KeyModels, nowMs: number): Html {
  const { window, models, gap } = row;
  const id = `models-${window}`;
  const isLowerBound = gap === "partial" && row.credits !== undefined;
  return html`<article class="card" aria-labelledby="${id}">
    <header>
      <h3 id="${id}">${queryTitle(window)}</h3>
      <p class="when">${stateMark(row)} ${dataAge(row, nowMs)}</p>
    </header>
    <dl>
      <div>
        <dt>Credits</dt>
        <dd>${isLowerBound ? "at least " : ""}${credits(row.credits)}</dd>
      </div>
    </dl>
    ${models.length > 0 ? table(row, id) : undefined} ${textOf(row)}
  </article>`;
}

function table({ models, credits: total }: KeyModels, id: string): Html {
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col" class="number">Credits</th>
          <th scope="col">Share</th>
        </tr>
      </thead>
      <tbody>
        ${models.map(
          ({ model, credits: amount }) =>
            html`<tr class="${model === "_other" ? "rest" : ""}">
              <th scope="row">${foreign(model)}</th>
              ${amountCells(amount, total)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function textOf({ gap, credits: total, models }: KeyModels): Html | undefined {
  if (gap === "unanswered") return html`<p class="empty">There are no current data for this window.</p>`;
  if (gap === "partial")
    return html`<p class="note">Rows or amounts are missing in the answer of the gateway.</p>`;
  if (gap === "doubtful")
    return html`<p class="note">
      Unknown: the answer of the gateway has no spend under the name of the key, although the key may have
      spent in this window.
    </p>`;
  return models.length === 0 && total === 0
    ? html`<p class="empty">The gateway reports no spend in this window.</p>`
    : undefined;
}
