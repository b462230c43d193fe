import type { AccountOverview, BalanceRow, ListingRow, OwnQueryRow } from "../account-overview.ts";
import type { TargetRow, UnwatchedRow } from "../target-rows.ts";
import { counted, credits, creditText } from "./amount.ts";
import { foreign, type Html, html, namesText } from "./html.ts";
import { answerAge, failureText, mark, stateMark } from "./marks.ts";
import { outlookText } from "./outlook.ts";
import { type Column, type Row, sheet } from "./table.ts";
import { queryTitle } from "./windows.ts";

/** The balance, the lists of keys and the queries of the configuration. Empty without a management key. */
export function accountSection(account: AccountOverview | undefined, nowMs: number): Html {
  if (!account) return html``;
  const { balance, capabilities, listings, queries } = account;
  const rows = [
    accountRow(html`Balance`, balance, balanceText(balance, nowMs), nowMs),
    ...listings.map((each) => accountRow(listTitle(each), each, listText(each), nowMs)),
    ...queries.map((each) =>
      accountRow(html`Query ${foreign(each.name, 64)}`, each, questionText(each), nowMs),
    ),
    accountRow(html`Names that queries may use`, capabilities, undefined, nowMs),
  ];
  return sheet({ id: "account", title: "Account" }, COLUMNS, rows);
}

const COLUMNS: readonly Column[] = [
  { title: "What" },
  { title: "State", kind: "why", label: "none" },
  { title: "Result", kind: "over", label: "none" },
];

/** Whether an answer is usable, but something in it needs attention. */
export function isWarned({ state, warning }: TargetRow): boolean {
  return state === "up" && warning !== undefined;
}

/** The state of a target whose answer may contain a warning. */
export function warnedMark(target: TargetRow): Html {
  return isWarned(target) ? mark("high", "▲", "Warning") : stateMark(target);
}

function accountRow(title: Html, target: TargetRow, result: Html | undefined, nowMs: number): Row {
  const why = isWarned(target) ? target.warning : failureText(target);
  return {
    cells: [
      title,
      html`${warnedMark(target)}<small>${answerAge(target, nowMs)}</small>`,
      html`${result}${why === undefined ? undefined : html`<small>${foreign(why, 800)}</small>`}`,
    ],
  };
}

function balanceText(row: BalanceRow, nowMs: number): Html | undefined {
  const { balance, bought, used, forecast, topUp } = row;
  const buys = topUp && forecast?.exhaustionMs === undefined && forecast?.outlook !== "exhausted";
  if (bought !== undefined && used !== undefined)
    return html`<strong>${credits(balance)}</strong> credits
      <small>${creditText(bought)} bought, ${creditText(used)} used</small>
      <small
        >${
          buys
            ? html`Buys ${creditText(topUp.credits)} by itself once it is below ${creditText(topUp.below)}.`
            : forecast && outlookText({ forecast, reset: "never" }, nowMs)
        }</small
      >`;
  return row.state === "up" && !isWarned(row) ? html`The gateway does not report it.` : undefined;
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

/** The spend of keys that are not watched. */
export function unwatchedSection(row: UnwatchedRow | undefined): Html {
  if (!row) return html``;
  return html`<section class="card" aria-labelledby="unwatched">
    <h2 id="unwatched">Unwatched spend</h2>
    <p>Today ${credits(row.day)}, this month ${credits(row.month)} credits</p>
    <p class="note">${noteOf(row)}</p>
  </section>`;
}

function noteOf({ day, month, unresolvedKeys = 0, unresolvedNames = [] }: UnwatchedRow): Html {
  if (unresolvedKeys > 0) {
    return html`Unknown: the gateway does not know ${counted(unresolvedKeys, "watched key")} by hash, or their
    secrets could not be read, so their spend would count as unwatched${namesOf(unresolvedNames)}`;
  }
  if (day === undefined && month === undefined)
    return html`Unknown: there is no answer yet, or the figures of the gateway may be incomplete or contain
    use of your own provider keys (BYOK).`;
  return html`What keys spend that are neither configured nor listed, deleted keys and use without a key
  included.`;
}

const NAMES_SHOWN = 5;

function namesOf(names: readonly string[]): Html | undefined {
  if (names.length === 0) return undefined;
  return html`. Configured: ${namesText(names, NAMES_SHOWN)}`;
}
