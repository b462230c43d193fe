import type { AccountOverview, BalanceRow, ListingRow, OwnQueryRow } from "../account-overview.ts";
import type { TargetRow } from "../target-rows.ts";
import { counted, credits, creditText } from "./amount.ts";
import { foreign, type Html, html, Later } from "./html.ts";
import { answerAge, mark, stateMark } from "./marks.ts";
import { queryTitle } from "./queries.ts";

/** The balance, the lists of keys and the queries of the configuration. Empty without a management key. */
export function accountSection(account: AccountOverview | undefined, nowMs: number): Html {
  if (!account) return html``;
  const { balance, capabilities, listings, queries } = account;
  const rows = [
    () => accountRow(html`Balance`, balance, balanceText(balance), nowMs),
    ...listings.map((each) => () => accountRow(listTitle(each), each, listText(each), nowMs)),
    ...queries.map(
      (each) => () => accountRow(html`Query ${foreign(each.name, 64)}`, each, questionText(each), nowMs),
    ),
    () => accountRow(html`Names that queries may use`, capabilities, undefined, nowMs),
  ];
  return html`<section class="card wide">
    <div class="scroll" role="region" aria-labelledby="account" tabindex="0">
      <table class="stack">
        <caption>
          <h2 id="account">Account</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">State</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map((made) => new Later(made))}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** Whether an answer is usable, but something in it needs attention. */
export function isWarned({ state, warning }: TargetRow): boolean {
  return state === "up" && warning !== undefined;
}

/** The state of a target whose answer may contain a warning. */
export function warnedMark(target: TargetRow): Html {
  return isWarned(target) ? mark("high", "▲", "Warning") : stateMark(target);
}

function accountRow(title: Html, target: TargetRow, result: Html | undefined, nowMs: number): Html {
  const { state, failure, warning } = target;
  const why = state === "down" ? failure?.message : isWarned(target) ? warning : undefined;
  return html`<tr>
    <th scope="row">${title}</th>
    <td>${warnedMark(target)}<small>${answerAge(target, nowMs)}</small></td>
    <td class="result">
      ${result}${why === undefined ? undefined : html`<small>${foreign(why, 400)}</small>`}
    </td>
  </tr>`;
}

function balanceText(row: BalanceRow): Html | undefined {
  const { balance, bought, used } = row;
  if (bought !== undefined && used !== undefined)
    return html`<strong>${credits(balance)}</strong> credits
      <small>${creditText(bought)} bought, ${creditText(used)} used</small>`;
  return row.state === "up" && !isWarned(row) ? html`The gateway does not report it.` : undefined;
}

function questionText({ dimensions, window }: OwnQueryRow): Html {
  return html`by ${foreign(dimensions.join(" and "), 140)}, ${queryTitle(window).toLowerCase()}`;
}

function listTitle({ name }: ListingRow): Html {
  return name === "default"
    ? html`Keys of the default workspace`
    : html`Keys of workspace ${foreign(name, 64)}`;
}

function listText({ keys, state }: ListingRow): Html | undefined {
  return state === "waiting" ? undefined : html`${counted(keys, "key")}`;
}
