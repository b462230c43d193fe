import type { BalanceRow, ListingRow, OwnQueryRow } from "../account-overview.ts";
import type { Overview } from "../overview.ts";
import type { QueryRow, TargetRow } from "../target-rows.ts";
import { counted, credits, creditText } from "./amount.ts";
import { balanceText } from "./danger-text.ts";
import { foreign, type Html, html } from "./html.ts";
import { isWarned } from "./marks.ts";
import { queryTitle } from "./windows.ts";

/** What the exporter asks beside keys and probes. */
export interface Asked {
  readonly target: TargetRow;
  readonly title: Html;
  /** What was answered, or what is asked. */
  readonly result?: Html | undefined;
}

/** Every such target, in the order of the page of the exporter. */
export function targetsOf({ queries, unwatched, budgetQueries, account, nowMs }: Overview): readonly Asked[] {
  const { balance, capabilities, listings = [], queries: own = [] } = account ?? {};
  return [
    ...queries.map((each) => asked(each, html`Models and apps, ${windowOf(each)}`, dataText(each))),
    ...(unwatched ? [asked(unwatched, html`Unwatched spend`)] : []),
    ...budgetQueries.map((each) => asked(each, html`Budgets, ${windowOf(each)}`)),
    ...(balance ? [asked(balance, html`Balance of the account`, balanceResult(balance, nowMs))] : []),
    ...listings.map((each) => asked(each, listTitle(each), listText(each))),
    ...own.map((each) => asked(each, html`Query ${foreign(each.name, 64)}`, questionText(each))),
    ...(capabilities ? [asked(capabilities, html`Names that queries may use`)] : []),
  ];
}

function asked(target: TargetRow, title: Html, result?: Html): Asked {
  return { target, title, result };
}

function windowOf({ name }: TargetRow): string {
  return queryTitle(name).toLowerCase();
}

function dataText({ requests, pairs }: QueryRow): Html | undefined {
  return requests === undefined
    ? undefined
    : html`${counted(requests, "request")} in ${counted(pairs.length, "pair")}`;
}

/** Undefined: it is not known why there is no balance. */
function balanceResult(row: BalanceRow, nowMs: number): Html | undefined {
  const { balance, bought, used } = row;
  if (bought === undefined || used === undefined)
    return row.state === "up" && !isWarned(row) ? html`The gateway does not report it.` : undefined;
  return html`<strong>${credits(balance)}</strong> credits
    <small>${creditText(bought)} bought, ${creditText(used)} used</small>
    <small>${balanceText(row, nowMs)}</small>`;
}

function questionText({ dimensions, window }: OwnQueryRow): Html {
  return html`by ${foreign(dimensions.join(" and "), 140)}, ${queryTitle(window).toLowerCase()}`;
}

function listTitle({ name }: ListingRow): Html {
  if (name === "all") return html`Keys of all workspaces`;
  return name === "default"
    ? html`Keys of the default workspace`
    : html`Keys of workspace ${foreign(name, 64)}`;
}

function listText({ keys }: ListingRow): Html | undefined {
  return keys === undefined ? undefined : html`${counted(keys, "key")}`;
}
