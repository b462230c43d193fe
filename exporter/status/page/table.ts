import { type Html, html } from "./html.ts";

/** The column of a table. */
export interface Column {
  readonly title: Html | string;
  /** Its classes: numbers are on the right, text is wrapped, and what is rare is not shown on a narrow screen. */
  readonly kind?: "number" | "number rare" | "text" | "text rare" | "rare";
}

/** One row: the title, then a cell for each further column. */
export interface Row {
  readonly cells: readonly (Html | string | undefined)[];
  readonly kind?: string;
}

/** A section of the page with a heading. */
export function card({ id, title }: Heading, content: Html, kind = ""): Html {
  return html`<section class="card ${kind}" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}

export interface Heading {
  readonly id: string;
  readonly title: string;
}

/** A section with a table. */
export function sheet(
  { id, title }: Heading,
  columns: readonly Column[],
  rows: readonly Row[],
  notes?: Html,
): Html {
  return html`<section class="card ${id === "keys" ? "lines" : ""}">
    <div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
      <table>
        <caption>
          <h2 id="${id}">${title}</h2>
        </caption>
        <thead>
          <tr>
            ${columns.map(({ title: head, kind = "" }) => html`<th scope="col" class="${kind}">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(({ cells: [first, ...cells], kind = "" }) => {
            const rest = cells.map(
              (cell, index) => html`<td class="${columns[index + 1]?.kind ?? ""}">${cell}</td>`,
            );
            return html`<tr class="${kind}">
              <th scope="row">${first}</th>
              ${rest}
            </tr>`;
          })}
        </tbody>
      </table>
    </div>
    ${notes}
  </section>`;
}
