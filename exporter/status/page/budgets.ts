import { type BudgetGaps, type Gap, GAPS } from "../../budgets/budget-status.ts";
import type { SpendGap } from "../../readings/reading.ts";
import type { BudgetRow, Overview } from "../overview.ts";
import { counted, creditText, HIGH_SHARE, separated, UNKNOWN, usedText } from "./amount.ts";
import { foreign, type Html, html, namesText } from "./html.ts";
import { usedBar } from "./keys.ts";
import { mark } from "./marks.ts";
import { type Column, type Row, sheet } from "./table.ts";
import { date, until } from "./time.ts";

/** Each budget with its spend: first the exceeded ones, then those nearly spent. */
export function budgetsSection(
  budgets: readonly BudgetRow[],
  { configuredKeys, nowMs }: Pick<Overview, "configuredKeys" | "nowMs">,
): Html {
  if (budgets.length === 0) return html``;
  const ordered = budgets.toSorted((one, other) => rank(one) - rank(other));
  const isBound = budgets.some(({ gaps, part }) => (gaps && !mayBeMore(gaps)) || part);
  const rows = ordered.map((budget) => budgetRow(budget, configuredKeys, nowMs));
  return sheet({ id: "budgets", title: "Budgets" }, COLUMNS, rows, isBound ? LOWER_BOUND_NOTE : undefined);
}

const COLUMNS: readonly Column[] = [
  { title: "Budget" },
  { title: "State", kind: "text rare" },
  { title: "Spent" },
  { title: "Left", kind: "number rare" },
  { title: "Window", kind: "rare" },
  { title: "Covers", kind: "text rare" },
];

/** The limit is exceeded, unless BYOK is counted: all other gaps can only add to the spend. */
export function isExceeded({ spent, limit }: BudgetRow): boolean {
  return spent !== undefined && limit !== undefined && spent > limit;
}

/** Spend and limit in words; a bound is marked as one. */
export function spentText({ spent, limit, gaps, part }: BudgetRow): Html {
  const most = limit === undefined ? UNKNOWN : html`${creditText(limit)}`;
  if (spent === undefined) return html`${UNKNOWN} of ${most}`;
  const bound = mayBeMore(gaps) ? "about " : gaps || part ? "at least " : "";
  return html`${bound}${creditText(spent)} of ${most}`;
}

/** Whether the spend may contain what the budget does not cover. */
function mayBeMore(gaps: BudgetGaps | undefined): boolean {
  return gaps?.partial?.reason === "byok";
}

/** `This month`, or the first day of a total. */
function windowTitle({ period, window, isBought }: BudgetRow): Html {
  if (isBought) return html`All that was bought`;
  return period.kind === "total" ? html`Since ${date(window.startMs)}` : html`${WINDOWS[period.kind]}`;
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

function budgetRow(budget: BudgetRow, keys: number, nowMs: number): Row {
  const { name, team, gaps, scope } = budget;
  return {
    cells: [
      html`${foreign(name)}${team === "" ? undefined : html`<small>${foreign(team, 64)}</small>`}`,
      html`${budgetMark(budget, nowMs)}${gaps ? html`<small>${gapsText(gaps, scope.kind)}</small>` : undefined}`,
      spentCell(budget),
      leftText(budget),
      html`${windowTitle(budget)}<small>${endText(budget, nowMs)}</small>`,
      scopeText(budget, keys),
    ],
  };
}

/** A budget is within its limit only if the spend is complete. */
function budgetMark(budget: BudgetRow, nowMs: number): Html {
  const share = shareOf(budget);
  if (isExceeded(budget)) return mark("down", "Exceeded");
  if (budget.window.startMs > nowMs) return mark("waiting", "Not begun");
  if (share === undefined) return mark("waiting", "Unknown");
  if (share >= HIGH_SHARE) return mark("day", share === 1 ? "All spent" : "Nearly spent");
  if (budget.part) return mark("waiting", "Part of it");
  return budget.gaps ? mark("waiting", "Incomplete") : mark("up", "Within");
}

function spentCell(budget: BudgetRow): Html {
  const share = shareOf(budget);
  if (share === undefined) return html`<small>${spentText(budget)}</small>`;
  return usedBar(share, spentText(budget), usedText(share), isExceeded(budget));
}

function leftText({ spent, limit, gaps, part }: BudgetRow): Html {
  if (spent === undefined || limit === undefined) return UNKNOWN;
  const bound = mayBeMore(gaps) ? "about" : gaps || part ? "at most" : undefined;
  return html`${creditText(limit - spent)}${bound && html`<small>${bound}</small>`}`;
}

function endText({ window }: BudgetRow, nowMs: number): Html {
  return window.endMs === Infinity ? html`never ends` : html`ends ${until(window.endMs, nowMs)}`;
}

/** Maximum number of keys that are named. */
const NAMES_SHOWN = 3;

function scopeText({ scope, isUnmatched, part }: BudgetRow, keys: number): Html {
  if (scope.kind === "account") return html`the account<small>all its keys, polled or not</small>`;
  if (scope.kind !== "keys") {
    const advice = isUnmatched ? html`<br />in no row of the gateway: check its name` : undefined;
    return html`${foreign(scope.label)}<small>${scope.kind}${advice}</small>`;
  }
  const { names } = scope;
  if (part)
    return html`${names.length} of ${counted(part.keys, "key")}<small>other shards poll the rest</small>`;
  if (names.length === keys) return html`all ${counted(keys, "key")}`;
  return html`${counted(names.length, "key")}<small>${namesText(names, NAMES_SHOWN)}</small>`;
}

/** The keys or the query that the spend lacks, and why. */
function gapsText({ sources, counts, reason, partial }: BudgetGaps, scope: BudgetRow["scope"]["kind"]): Html {
  const parts = GAPS.filter((gap) => counts[gap] > 0).map((gap) => {
    const who =
      scope !== "keys" ? "its query" : sources === 1 ? "its key" : `${counts[gap]} of ${sources} keys`;
    const why = gap === "failing" && reason !== undefined ? html` <code>${reason}</code>` : undefined;
    return html`${who}: ${GAP_TEXTS[gap]}${why}`;
  });
  return html`${separated(parts)}${partial && partialText(partial)}`;
}

const GAP_TEXTS = {
  failing: "failing",
  waiting: "not polled yet",
  early: "no answer for this window yet",
  old: "no recent answer",
  partial: "partial answer",
} as const satisfies Record<Gap, string>;

/** What a partial answer lacks, with the amount if it is known. */
function partialText({ reason, credits }: SpendGap): Html {
  const amount = credits === undefined ? "" : ` (${creditText(Math.abs(credits))} credits)`;
  return html`: ${PARTIAL_TEXTS[reason]}${amount}`;
}

const PARTIAL_TEXTS = {
  cut: "the gateway has more rows than it sent",
  unreadable: "some rows cannot be read",
  unlisted: "the rows of models and apps are below the total",
  exceeding: "the rows of models and apps are above the total",
  warned: "the gateway warns about the query",
  byok: "the amount may contain use of your own provider keys (BYOK), which the gateway does not report separately",
  rotated: "what the former secret of a key spent is missing",
  unknown: "the answer does not contain the amount",
} as const satisfies Record<SpendGap["reason"], string>;
