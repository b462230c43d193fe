import type { Overview } from "../overview.ts";
import {
  addressOf,
  isFiltered,
  KEY_STATES,
  type KeyState,
  SORT_ORDERS,
  type SortOrder,
  type View,
  WHOLE,
} from "../view.ts";
import { counted } from "./amount.ts";
import { foreign, type Html, html } from "./html.ts";

const TEAMS_SUGGESTED = 200;

/** Search, filters and order as a form, whose address can be sent to others. */
export function viewForm({ keys, budgets }: Overview, view: View): Html {
  const teams = new Set([...keys.map(({ owner }) => owner.team), ...budgets.map(({ team }) => team)]);
  const named = [...teams].filter((team) => team !== "").toSorted();
  return html`<form class="card view" action="/" method="get" role="search" aria-label="Keys">
    <label>Search <input type="search" name="search" maxlength="100" value="${view.search}" /></label>
    <label>Team <input name="team" list="teams" maxlength="100" value="${view.team}" /></label>
    <datalist id="teams">
      ${named.slice(0, TEAMS_SUGGESTED).map((team) => html`<option value="${team}"></option>`)}
    </datalist>
    <label>State ${choice("state", ["", ...KEY_STATES], view.state ?? "", STATE_TITLES)}</label>
    <label>Order ${choice("sort", ["", ...SORT_ORDERS], view.sort ?? "", SORT_TITLES)}</label>
    <button type="submit">Show</button>
    ${addressOf(view) === "/" ? undefined : html`<a href="/">Show all</a>`}
  </form>`;
}

/** What a view leaves out, in words; empty for the whole page. */
export function viewNote(shown: number, all: number, view: View): Html {
  if (!isFiltered(view)) return html``;
  const { search, team, state } = view;
  const parts = [
    ...(team === "" ? [] : [html`team ${foreign(team, 100)}`]),
    ...(search === "" ? [] : [html`search ${foreign(search, 100)}`]),
    ...(state === undefined ? [] : [html`state ${STATE_TITLES[state].toLowerCase()}`]),
  ];
  return html`<p class="note view-note">
    ${counted(shown, "key")} of ${all}:
    ${parts.map((part, index) => html`${index === 0 ? "" : ", "}${part}`)}. The account, models, apps and
    probes are not part of this view.
  </p>`;
}

/** Links to the pages of the table of keys; empty if there is only one. */
export function pageLinks(pages: number, view: View): Html {
  if (pages <= 1 && view.page === 1) return html``;
  const link = (page: number, text: string) =>
    html`<a href="${addressOf({ ...view, page })}#keys">${text}</a>`;
  const near = Math.min(view.page, pages);
  const position =
    view.page > pages ? html`There is no page ${view.page}.` : html`Page ${view.page} of ${pages}`;
  return html`<nav class="pages" aria-label="Pages of keys">
    ${near > 1 ? link(1, "First") : undefined}
    ${view.page > 1 ? link(Math.min(view.page - 1, pages), "Previous") : undefined} <span>${position}</span>
    ${view.page < pages ? link(view.page + 1, "Next") : undefined}
    ${view.page < pages ? link(pages, "Last") : undefined}
  </nav>`;
}

/** The address of the keys and budgets of a team. */
export function teamAddress(team: string): string {
  return addressOf({ ...WHOLE, team });
}

function choice<Value extends string>(
  name: string,
  values: readonly Value[],
  chosen: string,
  titles: Readonly<Record<Value, string>>,
): Html {
  return html`<select name="${name}">
    ${values.map((value) =>
      value === chosen
        ? html`<option value="${value}" selected="">${titles[value]}</option>`
        : html`<option value="${value}">${titles[value]}</option>`,
    )}
  </select>`;
}

const STATE_TITLES: Readonly<Record<KeyState | "", string>> = {
  "": "Any",
  failing: "Failing",
  waiting: "Waiting",
  up: "Up",
  "used-up": "Used up",
  low: "Nearly used up",
  disabled: "Disabled",
};

const SORT_TITLES: Readonly<Record<SortOrder | "", string>> = {
  "": "Most urgent",
  name: "Name",
  used: "Limit used",
  left: "Least left",
  day: "Spend today",
  week: "Spend this week",
  month: "Spend this month",
  total: "Spend of all time",
};
