import { foreign, type Html, html } from "./html.ts";
import type { BudgetRow } from "../overview.ts";
import { bar, counted, creditText, HIGH_SHARE, UNKNOWN, usedText } from "./amount.ts";
import { gapText } from "./budget-gap.ts";
import { date, until } from "./time.ts";

/** The most budgets that are shown. */
export const BUDGETS_SHOWN = 200;

/** Every budget with what is spent of it: the exceeded first, then those that are nearly spent. */
export function budgetsSection(budgets: readonly BudgetRow[], keys: number, nowMs: number): Html {
  if (budgets.length === 0) return html``;
  const ordered = budgets.toSorted((one, other) => rank(one) - rank(other));
  const hidden = ordered.length - BUDGETS_SHOWN;
  return html`<section class="card wide">
    <div class="scroll" role="region" aria-labelledby="budgets" tabindex="0">
      <table class="sheet">
        <caption>
          <h2 id="budgets">Budgets</h2>
        </caption>
        <thead>
          <tr>
            <th scope="col">Budget</th>
            <th scope="col">State</th>
            <th scope="col">Spent</th>
            <th scope="col" class="number">Left</th>
            <th scope="col" class="reset">Window</th>
            <th scope="col">Over</th>
          </tr>
        </thead>
        <tbody>
          ${ordered.slice(0, BUDGETS_SHOWN).map((budget) => budgetRow(budget, keys, nowMs))}
        </tbody>
      </table>
    </div>
    ${hidden > 0 ? html`<p class="more">… and ${counted(hidden, "more budget")}. All are in the metrics.</p>` : undefined}
    ${budgets.some(({ gap }) => gap) ? GAP_NOTE : undefined}
  </section>`;
}

/** More was spent than the budget allows, whatever else is not known. */
export function isExceeded({ spent, limit }: BudgetRow): boolean {
  return spent !== undefined && spent > limit;
}

export function exceededMark(): Html {
  return html`<span class="state down"><span aria-hidden="true">▲</span> Exceeded</span>`;
}

/** What is spent of the limit, in words; a lower bound says so. */
export function spentText({ spent, limit, gap }: BudgetRow): Html {
  if (spent === undefined) return html`${UNKNOWN} of ${creditText(limit)}`;
  return html`${gap ? "at least " : ""}${creditText(spent)} of ${creditText(limit)}`;
}

/** `This month`; a total by its first day. */
function windowTitle({ window, windowStartMs }: BudgetRow): Html {
  if (window !== "total") return html`${WINDOWS[window]}`;
  return windowStartMs === undefined ? html`Total` : html`Since ${date(windowStartMs)}`;
}

const WINDOWS = { day: "Today", week: "This week", month: "This month" } as const;

const GAP_NOTE = html`<p class="note">
  “At least”: what is missing is not counted, so more may have been spent.
</p>`;

function rank(budget: BudgetRow): number {
  if (isExceeded(budget)) return 0;
  return (shareOf(budget) ?? 0) >= HIGH_SHARE ? 1 : 2;
}

function shareOf({ spent, limit }: BudgetRow): number | undefined {
  return spent === undefined ? undefined : spent / limit;
}

function budgetRow(budget: BudgetRow, keys: number, nowMs: number): Html {
  const { name, team, gap, scope } = budget;
  return html`<tr>
    <th scope="row">
      ${foreign(name)}${team === "" ? undefined : html`<small>${foreign(team, 64)}</small>`}
    </th>
    <td class="why">
      ${stateMark(budget)}${gap ? html`<small>${gapText(gap, scope.kind)}</small>` : undefined}
    </td>
    <td>${spentCell(budget)}</td>
    <td class="number">${leftText(budget)}</td>
    <td class="reset">${windowTitle(budget)}<small>${endText(budget, nowMs)}</small></td>
    <td class="over">${scopeText(budget, keys)}</td>
  </tr>`;
}

/** By sign, word and colour. That a budget is kept is said only when all of it is known. */
function stateMark(budget: BudgetRow): Html {
  const share = shareOf(budget);
  if (isExceeded(budget)) return exceededMark();
  if (share === undefined) return mark("waiting", "○", "Not known");
  if (share >= HIGH_SHARE) return mark("high", "◆", share === 1 ? "All spent" : "Nearly spent");
  return budget.gap ? mark("waiting", "◐", "Incomplete") : mark("up", "●", "Within");
}

function mark(kind: string, sign: string, text: string): Html {
  return html`<span class="state ${kind}"><span aria-hidden="true">${sign}</span> ${text}</span>`;
}

function spentCell(budget: BudgetRow): Html {
  const share = shareOf(budget);
  if (share === undefined) return html`<small>${spentText(budget)}</small>`;
  const level = isExceeded(budget) ? "full" : share >= HIGH_SHARE ? "high" : "plain";
  return html`${bar(share, level)}
    <small class="of ${level}"><span>${spentText(budget)}</span> <b>${usedText(share)}</b></small>`;
}

function leftText({ spent, limit, gap }: BudgetRow): Html {
  if (spent === undefined) return UNKNOWN;
  return html`${creditText(limit - spent)}${gap ? html`<small>at most</small>` : undefined}`;
}

function endText({ window, windowEndMs }: BudgetRow, nowMs: number): Html {
  if (window === "total") return html`has no end`;
  return windowEndMs === undefined ? UNKNOWN : html`ends ${until(windowEndMs, nowMs)}`;
}

/** The most keys that are named. */
const NAMES_SHOWN = 3;

function scopeText({ scope }: BudgetRow, keys: number): Html {
  if (scope.kind === "account") return html`the account<small>all its keys, watched or not</small>`;
  if (scope.kind !== "keys") return html`${foreign(scope.label)}<small>${scope.kind}</small>`;
  const { names } = scope;
  if (names.length === keys) return html`all ${counted(keys, "key")}`;
  const named = names
    .slice(0, NAMES_SHOWN)
    .map((name, index) => html`${index === 0 ? "" : ", "}${foreign(name, 64)}`);
  const more = names.length - named.length;
  return html`${counted(names.length, "key")}<small>${named}${more > 0 ? ` and ${more} more` : ""}</small>`;
}
