import { decimalSum } from "../../metrics/decimal-sum.ts";
import type { Overview } from "../overview.ts";
import { isOther, OTHER, type PairRow, type QueryRow, wholeCredits } from "../target-rows.ts";
import { axisAddress } from "../view.ts";
import { counted, credits, shareText } from "./amount.ts";
import { foreign, type Html, html } from "./html.ts";
import { type Column, type Row, sheet } from "./table.ts";
import { least, queryTitle, shareOf, windowTiles } from "./windows.ts";

/** What is named, with its credits in the window of each query; undefined: the answer does not name it. */
export interface Ranked {
  /** The first of its pairs. */
  readonly pair: PairRow;
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
  const firsts = new Map(
    groups.flatMap((group) => [...group].map(([name, [pair = NO_PAIR]]) => [name, pair] as const)),
  );
  firsts.delete(undefined);
  const month = queries.findIndex(({ name }) => name === "month");
  return [...firsts]
    .map(([name, pair]) => ({ pair, amounts: groups.map((group) => sumOf(group.get(name))) }))
    .toSorted((one, other) => (other.amounts[month] ?? 0) - (one.amounts[month] ?? 0));
}

const NO_PAIR: PairRow = { ...OTHER, credits: 0 };

function sumOf(pairs: readonly PairRow[] | undefined): number | undefined {
  return pairs && decimalSum(pairs.map((pair) => pair.credits));
}

/** A row of a ranking. */
export interface RankedRow {
  readonly title: Html;
  readonly amounts: Ranked["amounts"];
  /** Below the amount of today. */
  readonly picture?: Html | undefined;
}

export interface Ranking {
  readonly id: string;
  readonly title: string;
  /** Of the column of names. */
  readonly what: string;
  readonly notes?: Html | undefined;
  /** Whether amounts of a window are lower bounds; absent: if the total is one. */
  readonly isBound?: (query: QueryRow) => boolean;
  /** How many rows are shown; the others are added up. */
  readonly most?: number;
  /** Whether the rows are all of the spend, so that the table ends with the rest and the totals. */
  readonly isWhole?: boolean;
}

/** A table with a column for each window. */
export function rankingSection(
  { id, title, what, notes, isBound = ({ isLeast }) => isLeast === true, most = 200, isWhole }: Ranking,
  rows: readonly RankedRow[],
  queries: readonly QueryRow[],
): Html {
  const hidden = rows.slice(most);
  const restOf = (index: number) => {
    const known = hidden.flatMap(({ amounts }) => amounts[index] ?? []);
    return known.length === 0 ? undefined : decimalSum(known);
  };
  const shown = [
    ...rows.slice(0, most).map((row) => rankRow(row, queries)),
    ...(hidden.length > 0
      ? [restRow(html`… and ${counted(hidden.length, "more", "more")}`, queries, (_, index) => restOf(index))]
      : []),
    ...(isWhole && queries.some(({ pairs }) => pairs.some(isOther))
      ? [restRow(html`<bdi>_other</bdi>`, queries, otherOf)]
      : []),
    ...(isWhole ? [totalRow(queries)] : []),
  ];
  const text = html`${notes}
    <p class="note">Amounts are credits. Empty: not named in the answer for the window; — means unknown.</p>`;
  return sheet(
    { id, title },
    [{ title: what }, ...queries.map((query) => columnOf(query, isBound))],
    shown,
    text,
  );
}

const PAIRS_SHOWN = 8;

/** What models and apps spent in each window, by pairs. */
export function pairsSection(overview: Overview): Html {
  const { queries } = overview;
  if (queries.length === 0) return html``;
  const rows = ranked(queries, ({ model, app }) => `${model}\n${app}`).map(({ pair, amounts }) => {
    const link = (axis: "model" | "app") =>
      html`<a href="${axisAddress(axis, pair[axis])}">${foreign(pair[axis])}</a>`;
    return { title: html`${link("model")}<small>${link("app")}</small>`, amounts };
  });
  const table = {
    id: "pairs",
    title: "Most expensive pairs",
    what: "Model and app",
    most: PAIRS_SHOWN,
    isWhole: true,
  };
  return html`<h2 id="queries">Models and apps</h2>
    ${windowTiles(overview)} ${rankingSection({ ...table, notes: wholeNotes(queries) }, rows, queries)}`;
}

/** What the answers lack. */
export function wholeNotes(queries: readonly QueryRow[]): Html {
  const cut = queries.filter(({ truncated }) => truncated === true);
  const notes = [
    "_other is everything that is not shown by name; _none means that the gateway names no model or no app.",
    ...(cut.some((query) => wholeCredits(query) === undefined)
      ? ["The gateway returned neither all pairs nor a complete total: what the rest spent is unknown."]
      : cut.length > 0
        ? ["The gateway has more pairs than it returned: the rest is part of _other. The total is complete."]
        : []),
    ...(queries.some(({ exceedsTotal }) => exceedsTotal === true)
      ? ["The rows of the gateway add up to more than its total, which is shown above."]
      : []),
  ];
  return html`${notes.map((note) => html`<p class="note">${note}</p>`)}`;
}

function columnOf(query: QueryRow, isBound: (query: QueryRow) => boolean): Column {
  const title = queryTitle(query.name);
  if (!isBound(query)) return { title, kind: "number" };
  return { title: html`${title}<small>at least</small>`, kind: "number", label: `${title}, at least` };
}

function rankRow({ title, amounts, picture }: RankedRow, queries: readonly QueryRow[]): Row {
  const cells = queries.map((query, index) =>
    amountCell(query, amounts[index], query.name === "day" ? picture : undefined),
  );
  return { cells: [title, ...cells] };
}

function amountCell(query: QueryRow, amount: number | undefined, picture?: Html): Html | undefined {
  if (amount === undefined && query.dataMs !== undefined) return undefined;
  const share = shareOf(amount, wholeCredits(query));
  return html`${credits(amount)}${share === undefined ? undefined : html`<small>${shareText(share)}</small>`}${picture}`;
}

function restRow(
  title: Html,
  queries: readonly QueryRow[],
  amountOf: (query: QueryRow, index: number) => number | undefined,
): Row {
  const cells = queries.map((query, index) => amountCell(query, amountOf(query, index)));
  return { kind: "rest", cells: [title, ...cells] };
}

function otherOf({ pairs }: QueryRow): number | undefined {
  return pairs.find(isOther)?.credits;
}

function totalRow(queries: readonly QueryRow[]): Row {
  const cells = queries.map((query) => html`${least(query.isLeast, query.credits)}${credits(query.credits)}`);
  return { kind: "rest", cells: ["In all", ...cells] };
}
