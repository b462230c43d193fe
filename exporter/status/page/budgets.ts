import { type BudgetGaps, type Gap, GAPS } from "../../budgets/budget-status.ts";
import type { SpendGap } from "../../readings/reading.ts";
import type { BudgetRow } from "../overview.ts";
import { bar, counted, creditText, HIGH_SHARE, UNKNOWN, usedText } from "./amount.ts";
import { foreign, type Html, html, Later } from "./html.ts";
import { mark } from "./marks.ts";
import { date, until } from "./time.ts";

const BUDGETS_SHOWN = 200;

/** Each budget with its spend: first the exceeded ones, then those nearly spent. */
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
            <th scope="col">Covers</th>
          </tr>
        </thead>
        <tbody>
          ${ordered.slice(0, BUDGETS_SHOWN).map((budget) => new Later(() => budgetRow(budget, keys, nowMs)))}
        </tbody>
      </table>
    </div>
    ${hidden > 0 ? html`<p class="more">… and ${counted(hidden, "more budget")}. All are in the metrics.</p>` : undefined}
    ${budgets.some(({ gaps, keysInAll }) => gaps || keysInAll) ? LOWER_BOUND_NOTE : undefined}
  </section>`;
}

/** The limit is exceeded. Gaps do not matter, because they can only add to the spend. */
export function isExceeded({ spent, limit }: BudgetRow): boolean {
  return spent !== undefined && limit !== undefined && spent > limit;
}

export function exceededMark(): Html {
  return mark("down", "▲", "Exceeded");
}

/** Spend and limit in words; a lower bound is marked as one. */
export function spentText({ spent, limit, gaps, keysInAll }: BudgetRow): Html {
  const most = limit === undefined ? UNKNOWN : html`${creditText(limit)}`;
  if (spent === undefined) return html`${UNKNOWN} of ${most}`;
  return html`${gaps || keysInAll ? "at least " : ""}${creditText(spent)} of ${most}`;
}

/** `This month`, or the first day of a total. */
function windowTitle({ window, windowStartMs, isBought }: BudgetRow): Html {
  if (isBought) return html`All that was bought`;
  if (window !== "total") return html`${WINDOWS[window]}`;
  return html`Since ${date(windowStartMs)}`;
}

const WINDOWS = { day: "Today", week: "This week", month: "This month" } as const;

const LOWER_BOUND_NOTE = html`<p class="note">
  “At least”: missing amounts are not counted, so more may have been spent.
</p>`;

function rank(budget: BudgetRow): number {
  if (isExceeded(budget)) return 0;
  return (shareOf(budget) ?? 0) >= HIGH_SHARE ? 1 : 2;
}

function shareOf({ spent, limit }: BudgetRow): number | undefined {
  return spent === undefined || limit === undefined || limit <= 0 ? undefined : spent / limit;
}

function budgetRow(budget: BudgetRow, keys: number, nowMs: number): Html {
  const { name, team, gaps, scope } = budget;
  return html`<tr>
    <th scope="row">
      ${foreign(name)}${team === "" ? undefined : html`<small>${foreign(team, 64)}</small>`}
    </th>
    <td class="why full">
      ${budgetMark(budget, nowMs)}${gaps ? html`<small>${gapsText(gaps, scope.kind)}</small>` : undefined}
    </td>
    <td class="full" data-label="Spent">${spentCell(budget)}</td>
    <td class="number" data-label="Left">${leftText(budget)}</td>
    <td class="reset" data-label="Window">${windowTitle(budget)}<small>${endText(budget, nowMs)}</small></td>
    <td class="over full" data-label="Covers">${scopeText(budget, keys)}</td>
  </tr>`;
}

/** A budget is within its limit only if the spend is complete. */
function budgetMark(budget: BudgetRow, nowMs: number): Html {
  const share = shareOf(budget);
  if (isExceeded(budget)) return exceededMark();
  if (budget.windowStartMs > nowMs) return mark("waiting", "○", "Not begun");
  if (share === undefined) return mark("waiting", "○", "Unknown");
  if (share >= HIGH_SHARE) return mark("high", "◆", share === 1 ? "All spent" : "Nearly spent");
  if (budget.keysInAll !== undefined) return mark("waiting", "◐", "Part of it");
  return budget.gaps ? mark("waiting", "◐", "Incomplete") : mark("up", "●", "Within");
}

function spentCell(budget: BudgetRow): Html {
  const share = shareOf(budget);
  if (share === undefined) return html`<small>${spentText(budget)}</small>`;
  const level = isExceeded(budget) ? "full" : share >= HIGH_SHARE ? "high" : "plain";
  return html`${bar(share, level)}
    <small class="of ${level}"><span>${spentText(budget)}</span> <b>${usedText(share)}</b></small>`;
}

function leftText({ spent, limit, gaps, keysInAll }: BudgetRow): Html {
  if (spent === undefined || limit === undefined) return UNKNOWN;
  return html`${creditText(limit - spent)}${gaps || keysInAll ? html`<small>at most</small>` : undefined}`;
}

function endText({ window, windowEndMs }: BudgetRow, nowMs: number): Html {
  if (window === "total") return html`never ends`;
  return windowEndMs === undefined ? UNKNOWN : html`ends ${until(windowEndMs, nowMs)}`;
}

/** Maximum number of keys that are named. */
const NAMES_SHOWN = 3;

function scopeText({ scope, isUnseen, keysInAll }: BudgetRow, keys: number): Html {
  if (scope.kind === "account") return html`the account<small>all its keys, polled or not</small>`;
  if (scope.kind !== "keys") {
    const advice = isUnseen ? html`<br />in no row of the gateway: check its name` : undefined;
    return html`${foreign(scope.label)}<small>${scope.kind}${advice}</small>`;
  }
  const { names } = scope;
  if (keysInAll !== undefined)
    return html`${names.length} of ${counted(keysInAll, "key")}<small>other shards poll the rest</small>`;
  if (names.length === keys) return html`all ${counted(keys, "key")}`;
  const named = names
    .slice(0, NAMES_SHOWN)
    .map((name, index) => html`${index === 0 ? "" : ", "}${foreign(name, 64)}`);
  const more = names.length - named.length;
  return html`${counted(names.length, "key")}<small>${named}${more > 0 ? ` and ${more} more` : ""}</small>`;
}

/** The keys or the query that the spend lacks, and why. */
function gapsText({ sources, counts, reason, partial }: BudgetGaps, scope: BudgetRow["scope"]["kind"]): Html {
  const parts = GAPS.filter((gap) => counts[gap] > 0).map((gap, index) => {
    const count = counts[gap];
    const verb = VERBS[gap][count === 1 ? "one" : "many"];
    const why = gap === "failing" && reason !== undefined ? html` <code>${reason}</code>` : undefined;
    return html`${index === 0 ? "" : ", "}${sourceText(count, sources, scope)} ${verb}${why}`;
  });
  return html`${parts}${partial && partialText(partial)}`;
}

/** What a partial answer lacks, with the amount if it is known. */
function partialText({ reason, credits }: SpendGap): Html {
  const amount = credits === undefined ? "" : ` by ${creditText(Math.abs(credits))} credits`;
  switch (reason) {
    case "cut":
      return html`: the gateway has more rows than it sent${lacking(credits)}`;
    case "unreadable":
      return html`: some rows cannot be read${lacking(credits)}`;
    case "unlisted":
      return html`: the rows of models and apps are below the total${amount}`;
    case "exceeding":
      return html`: the rows of models and apps are above the total${amount}`;
    case "warned":
      return html`: the gateway warns about the query`;
    case "unknown":
      return html`: the answer does not contain the amount`;
  }
}

function lacking(credits: number | undefined): string {
  return credits === undefined ? "" : ` (${creditText(credits)} credits of the total are in no row)`;
}

const VERBS = {
  failing: { one: "is failing", many: "are failing" },
  waiting: { one: "has not been polled yet", many: "have not been polled yet" },
  early: { one: "has no answer for this window yet", many: "have no answer for this window yet" },
  old: { one: "has not answered recently", many: "have not answered recently" },
  partial: { one: "returned a partial answer", many: "returned partial answers" },
} as const satisfies Record<Gap, { one: string; many: string }>;

function sourceText(count: number, sources: number, scope: BudgetRow["scope"]["kind"]): string {
  if (scope !== "keys") return "its query";
  return sources === 1 ? "its key" : `${count} of ${sources} keys`;
}
