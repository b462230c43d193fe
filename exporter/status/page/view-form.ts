import type { Overview } from "../overview.ts";
import { addressOf, isFiltered, type KeyState, type SortOrder, type View, WHOLE } from "../view.ts";
import { counted } from "./amount.ts";
import { type Html, html } from "./html.ts";

/** Search, filters and order as a form, whose address can be sent to others. */
export function viewForm({ keys, budgets }: Overview, view: View): Html {
  const teams = new Set([
    view.team,
    ...keys.map(({ owner }) => owner.team),
    ...budgets.map(({ team }) => team),
  ]);
  const named = [...teams].filter((team) => team !== "").toSorted();
  const byName = named.map((team) => [team, team] as const);
  return html`<form class="card view" action="/" method="get" role="search" aria-label="Keys">
    <label>Search <input type="search" name="search" maxlength="100" value="${view.search}" /></label>
    <label>Team ${choice("team", byName, "All", view.team)}</label>
    <label>State ${choice("state", Object.entries(STATE_TITLES), "Any", view.state)}</label>
    <label>Order ${choice("sort", Object.entries(SORT_TITLES), "Most urgent", view.sort)}</label>
    <button type="submit">Show</button>
    ${addressOf(view) === "/" ? undefined : html`<a href="/">Show all</a>`}
  </form>`;
}

/** How many keys a view has; empty for the whole page. */
export function viewNote(shown: number, all: number, view: View): Html {
  return isFiltered(view) ? html`<p class="note">${counted(shown, "key")} of ${all}</p>` : html``;
}

/** Links to the pages of the table of keys; empty if there is only one. */
export function pageLinks(pages: number, view: View): Html {
  if (pages <= 1 && view.page === 1) return html``;
  const link = (page: number, text: string) =>
    html`<a href="${addressOf({ ...view, page })}#keys">${text}</a>`;
  return html`<nav class="pages" aria-label="Pages of keys">
    ${view.page > 1 ? link(Math.min(view.page - 1, pages), "Previous") : undefined}
    <span>Page ${view.page} of ${pages}</span>
    ${view.page < pages ? link(view.page + 1, "Next") : undefined}
  </nav>`;
}

/** The address of the keys and budgets of a team. */
export function teamAddress(team: string): string {
  return addressOf({ ...WHOLE, team });
}

function choice(
  name: string,
  titles: readonly (readonly [value: string, title: string])[],
  none: string,
  chosen = "",
): Html {
  const options = [["", none] as const, ...titles].map(([value, title]) =>
    value === chosen
      ? html`<option value="${value}" selected="">${title}</option>`
      : html`<option value="${value}">${title}</option>`,
  );
  return html`<select name="${name}">
    ${options}
  </select>`;
}

const STATE_TITLES: Readonly<Record<KeyState, string>> = {
  stopped: "Stopped",
  hour: "Stops within the hour",
  day: "Stops within a day",
  week: "Stops later",
  failing: "Failing",
  waiting: "Waiting",
  up: "Up",
  disabled: "Disabled",
};

const SORT_TITLES: Readonly<Record<SortOrder, string>> = {
  name: "Name",
  used: "Limit used",
  left: "Least left",
  day: "Spend today",
  week: "Spend this week",
  month: "Spend this month",
  total: "Spend of all time",
};
