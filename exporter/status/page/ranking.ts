import { decimalSum } from "../../metrics/decimal-sum.ts";
import { isOther, type PairRow, type QueryRow, wholeCredits } from "../target-rows.ts";
import { credits, shareText } from "./amount.ts";
import { type Html, html } from "./html.ts";
import { type Column, type Row, sheet } from "./table.ts";
import { least, queryTitle, shareOf } from "./windows.ts";

/** What is named, with its credits in the window of each query; undefined: the answer does not name it. */
export interface Ranked {
  readonly name: string;
  readonly amounts: readonly (number | undefined)[];
}

/** Groups of named pairs, the most expensive of the month first. Pairs without a name for the group are left out. */
export function ranked(
  queries: readonly QueryRow[],
  nameOf: (pair: PairRow) => string | undefined,
): readonly Ranked[] {
  const groups = queries.map(({ pairs }) =>
    Map.groupBy(
      pairs.filter((pair) => !isOther(pair)),
      nameOf,
    ),
  );
  const names = new Set(groups.flatMap((group) => [...group.keys()]));
  const month = queries.findIndex(({ name }) => name === "month");
  return [...names]
    .flatMap((name) => (name === undefined ? [] : [name]))
    .map((name) => ({ name, amounts: groups.map((group) => sumOf(group.get(name))) }))
    .toSorted((one, other) => (other.amounts[month] ?? 0) - (one.amounts[month] ?? 0));
}

function sumOf(pairs: readonly PairRow[] | undefined): number | undefined {
  return pairs && decimalSum(pairs.map((pair) => pair.credits));
}

/** A row of a ranking. */
export interface RankedRow {
  readonly title: Html | string;
  readonly amounts: Ranked["amounts"];
}

export interface Ranking {
  readonly id: string;
  readonly title: string;
  /** Of the column of names. */
  readonly what: string;
  readonly notes?: Html | undefined;
  /** Whether amounts of a window are lower bounds; absent: if the total is one. */
  readonly isBound?: (query: QueryRow) => boolean;
  /** Whether the rows are all of the spend, so that the table ends with the rest and the totals. */
  readonly isWhole?: boolean;
}

/** A table with a column for each window. */
export function rankingSection(
  { id, title, what, notes, isBound = ({ isLeast }) => isLeast === true, isWhole }: Ranking,
  rows: readonly RankedRow[],
  queries: readonly QueryRow[],
): Html {
  const others = queries.map(({ pairs }) => pairs.find(isOther)?.credits);
  const shown = [
    ...rows.map((row) => rankRow(row, queries)),
    ...(isWhole && others.some((amount) => amount !== undefined)
      ? [rankRow({ title: "Everything else", amounts: others }, queries, "rest")]
      : []),
    ...(isWhole ? [totalRow(queries)] : []),
  ];
  const text = html`${notes}
    <p class="note">Amounts are credits. Empty if the window's answer does not name it; — means unknown.</p>`;
  return sheet(
    { id, title },
    [{ title: what }, ...queries.map((query) => columnOf(query, isBound(query)))],
    shown,
    text,
  );
}

/** What the answers lack. */
export function wholeNotes(queries: readonly QueryRow[]): Html {
  const cut = queries.filter(({ truncated }) => truncated === true);
  const notes = [
    ...(cut.some((query) => wholeCredits(query) === undefined)
      ? ["The gateway returned neither all pairs nor a complete total: what the rest spent is unknown."]
      : cut.length > 0
        ? [
            "The gateway has more pairs than it returned: they are part of everything else. The total is complete.",
          ]
        : []),
    ...(queries.some(({ exceedsTotal }) => exceedsTotal === true)
      ? ["The rows of the gateway add up to more than its total, which is shown above."]
      : []),
  ];
  return html`${notes.map((note) => html`<p class="note">${note}</p>`)}`;
}

function columnOf({ name }: QueryRow, isBound: boolean): Column {
  const kind = name.startsWith("last_") ? "number rare" : "number";
  return { title: html`${queryTitle(name)}${isBound ? html`<small>at least</small>` : undefined}`, kind };
}

function rankRow({ title, amounts }: RankedRow, queries: readonly QueryRow[], kind = ""): Row {
  const cells = queries.map((query, index) => {
    const amount = amounts[index];
    if (amount === undefined && query.dataMs !== undefined) return undefined;
    const share = shareOf(amount, wholeCredits(query));
    return html`${credits(amount)}${share === undefined ? undefined : html`<small>${shareText(share)}</small>`}`;
  });
  return { kind, cells: [title, ...cells] };
}

function totalRow(queries: readonly QueryRow[]): Row {
  const cells = queries.map((query) => html`${least(query.isLeast, query.credits)}${credits(query.credits)}`);
  return { kind: "rest", cells: ["In all", ...cells] };
}
