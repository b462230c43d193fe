import { type Html, html } from "./html.ts";

/** The column of a table. */
export interface Column {
  readonly title: Html | string;
  readonly kind?: "number" | "reset" | "why" | "over" | "full";
  /** What a narrow screen shows before the value; absent: the title, if that is a text. `none`: nothing. */
  readonly label?: string;
}

/** One row: the title, then a cell for each further column; undefined: an empty one. */
export interface Row {
  readonly cells: readonly (Html | string | undefined)[];
  readonly kind?: string;
}

/** A table with a heading, as a section of the page. */
export function sheet(
  { id, title }: { readonly id: string; readonly title: string },
  columns: readonly Column[],
  rows: readonly Row[],
  notes?: Html,
): Html {
  return html`<section class="card wide">
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
          ${rows.map((row) => tableRow(row, columns))}
        </tbody>
      </table>
    </div>
    ${notes}
  </section>`;
}

function tableRow({ cells: [first, ...cells], kind = "" }: Row, [, ...columns]: readonly Column[]): Html {
  return html`<tr class="${kind}">
    <th scope="row">${first}</th>
    ${cells.map((cell, index) => tableCell(cell, columns[index]))}
  </tr>`;
}

function tableCell(cell: Row["cells"][number], column: Column = { title: "" }): Html {
  const { title, kind, label } = column;
  if (cell === undefined) return html`<td></td>`;
  const named = label ?? (typeof title === "string" ? title : "");
  return named === "none"
    ? html`<td class="${kind}">${cell}</td>`
    : html`<td class="${kind}" data-label="${named}">${cell}</td>`;
}
