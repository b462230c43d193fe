import type { ModelKeys } from "../key-models.ts";
import type { Overview } from "../overview.ts";
import { type Axis, AXIS_PATHS, axisAddress } from "../view.ts";
import { wholeCredits } from "../target-rows.ts";
import { credits, shareText } from "./amount.ts";
import { foreign, type Html, html } from "./html.ts";
import { hoursSection } from "./hours.ts";
import { keyLink } from "./keys.ts";
import { layout } from "./layout.ts";
import { stateMark } from "./marks.ts";
import { dataAge, queryTitle, windowText } from "./queries.ts";
import { isLowerBound, OTHER_AXIS, type Ranked, ranked, rankingSection } from "./ranking.ts";

const MANY = { model: "Models", app: "Apps" } as const;

/** The page of all models or apps, or of the one with the name, which is missing if no answer names it. */
export function renderAxisPage(
  overview: Overview,
  telemetryPath: string,
  axis: Axis,
  name?: string,
): { readonly page: Html; readonly isMissing: boolean } {
  const rows = ranked(overview.queries, axis);
  const row = rows.find((each) => each.name === name);
  const isMissing = name !== undefined && !row;
  const heading = isMissing
    ? html`No such ${axis}`
    : row
      ? html`${axis === "model" ? "Model" : "App"} ${foreign(row.name)}`
      : html`${MANY[axis]}`;
  const shown = row ? ofOne(overview, axis, row) : ofAll(overview, axis, rows);
  const page = layout(
    {
      path: AXIS_PATHS[axis],
      title: `${row ? row.name : isMissing ? `No such ${axis}` : MANY[axis]} – AI gateway exporter`,
      heading,
      links: html`<a href="${axisAddress(axis, row?.name)}">${isMissing ? `All ${axis}s` : "Refresh"}</a>`,
      sections: isMissing ? [() => missing(axis, name)] : shown,
    },
    overview,
    telemetryPath,
  );
  return { page, isMissing };
}

/** In place of what only a management key shows. */
export const NO_ACCOUNT = html`<p class="note">
  Nothing is known about the account: no management key is configured (<code>analytics</code>).
</p>`;

function missing(axis: Axis, name: string): Html {
  return html`<section class="card">
    <p>
      No ${axis} is named ${foreign(name)} in the answers of the gateway. One that spends little is part of
      <code>_other</code>.
    </p>
  </section>`;
}

function ofAll(overview: Overview, axis: Axis, rows: readonly Ranked[]): readonly (() => Html)[] {
  const { queries, spendHours, nowMs } = overview;
  if (queries.length === 0) return [() => NO_ACCOUNT];
  const hours = spendHours?.of(axis, nowMs);
  return [
    () => tiles(overview),
    () => (hours ? hoursSection(hours, hours.total, false) : html``),
    () => rankingSection(MANY[axis], rows, queries, axis, { isWhole: true, hours }),
  ];
}

function ofOne(overview: Overview, axis: Axis, { name, amounts }: Ranked): readonly (() => Html)[] {
  const { queries, keyModels, spendHours, nowMs } = overview;
  const other = OTHER_AXIS[axis];
  const hours = spendHours?.of(axis, nowMs);
  const isLeast = queries.some((query) => query.name === "day" && isLowerBound(query));
  return [
    () => tiles(overview, amounts),
    () => (hours ? hoursSection(hours, hours.byName.get(name) ?? [], isLeast) : html``),
    () => rankingSection(MANY[other], ranked(queries, other, name), queries, other),
    () => keysSection(axis === "model" ? (keyModels?.keysOf(name) ?? []) : []),
  ];
}

/** The credits of each window: of one model or app, or in all. */
function tiles({ queries, nowMs }: Overview, amounts?: readonly (number | undefined)[]): Html {
  const figures = queries.map((query, index) => {
    const { name, isLeast: isTotalLeast = false } = query;
    const total = wholeCredits(query);
    const amount = amounts ? amounts[index] : query.credits;
    const isShare = amounts && amount !== undefined && amount >= 0 && total !== undefined && total > 0;
    const isLeast = amount !== undefined && (amounts ? isLowerBound(query) : isTotalLeast);
    return html`<div class="card">
      <dt>${queryTitle(name)}<br />${windowText(query)}</dt>
      <dd>
        ${isLeast ? html`<span class="soft">at least</span> ` : undefined}${credits(amount)}
        <small
          >${isShare ? `${shareText(amount / total)} of all · ` : ""}${stateMark(query)}
          ${dataAge(query, nowMs)}</small
        >
      </dd>
    </div>`;
  });
  return html`<dl class="summary">${figures}</dl>`;
}

/** The keys that spend on a model. Empty if no query asks for that. */
function keysSection(windows: readonly ModelKeys[]): Html {
  if (windows.length === 0) return html``;
  return html`<section aria-labelledby="model-keys">
    <h2 id="model-keys">Keys</h2>
    <div class="windows">${windows.map(keysCard)}</div>
    <p class="note">
      By the names that keys have at the gateway. Keys that spend little on the model may be missing: only the
      most expensive pairs of a key and a model are named.
    </p>
  </section>`;
}

function keysCard({ window, keys }: ModelKeys): Html {
  const id = `model-keys-${window}`;
  const empty = keys ? "No key is named with this model." : "There are no current data for this window.";
  const rows = keys?.map(
    ({ label, name, credits: amount }) =>
      html`<tr>
        <th scope="row">
          ${foreign(label)}${name === undefined ? undefined : html`<small>${keyLink(name)}</small>`}
        </th>
        <td class="number">${credits(amount)}</td>
      </tr>`,
  );
  return html`<article class="card" aria-labelledby="${id}">
    <h3 id="${id}">${queryTitle(window)}</h3>
    ${
      rows && rows.length > 0
        ? html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
            <table>
              <thead>
                <tr>
                  <th scope="col">Name at the gateway</th>
                  <th scope="col" class="number">Credits</th>
                </tr>
              </thead>
              <tbody>
                ${rows}
              </tbody>
            </table>
          </div>`
        : html`<p class="empty">${empty}</p>`
    }
  </article>`;
}
