import { byUrgency, usedShare } from "../danger.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { isFiltered, KEY_STATES, type KeyState, type SortOrder, type View } from "../view.ts";

/**
 * The part of the overview that a view shows, with the keys in its order. A view that leaves out keys also leaves out
 * what cannot be assigned to the others: the account, models and apps, probes.
 */
export function viewed(overview: Overview, view: View): Overview {
  const isWhole = !isFiltered(view);
  const keys = overview.keys.filter((key) => isWhole || isWanted(key, view)).toSorted(by(view.sort));
  if (isWhole) return { ...overview, keys };
  const budgets = overview.budgets.filter(
    ({ name, team }) => view.state === undefined && isNamed([name, team], team, view),
  );
  const nothing = { unwatched: undefined, account: undefined, probes: undefined };
  return { ...overview, ...nothing, queries: [], budgetQueries: [], keys, budgets };
}

/** All values of the parameter `state` that select a key. */
export function statesOf(key: KeyRow): KeyState[] {
  return KEY_STATES.filter((state) => STATES[state](key));
}

function isWanted(key: KeyRow, view: View): boolean {
  const { team, project, costCenter } = key.owner;
  if (!isNamed([key.name, team, project, costCenter], team, view)) return false;
  return view.state === undefined || STATES[view.state](key);
}

function isNamed(names: readonly string[], team: string, view: View): boolean {
  if (view.team !== "" && view.team !== team) return false;
  return view.search === "" || names.some((name) => name.toLowerCase().includes(view.search));
}

const STATES: Readonly<Record<KeyState, (key: KeyRow) => boolean>> = {
  stopped: ({ danger }) => danger?.urgency === "stopped",
  hour: ({ danger }) => danger?.urgency === "hour",
  day: ({ danger }) => danger?.urgency === "day",
  week: ({ danger }) => danger?.urgency === "week",
  failing: ({ state }) => state === "down",
  waiting: ({ state }) => state === "waiting",
  up: ({ state }) => state === "up",
  disabled: ({ isDisabled }) => isDisabled === true,
};

/** What stops first, then failing keys, those not polled yet, and the rest as configured. */
function byDanger(one: KeyRow, other: KeyRow): number {
  return byUrgency(one.danger, other.danger) || POLLS[one.state] - POLLS[other.state];
}

const POLLS = { down: 0, waiting: 1, up: 2 } as const;

/** Unknown amounts come last in every order. */
function by(order: SortOrder | undefined): (one: KeyRow, other: KeyRow) => number {
  if (order === undefined) return byDanger;
  if (order === "name") return (one, other) => (one.name < other.name ? -1 : Number(one.name > other.name));
  const amountOf = (key: KeyRow) =>
    order === "left" ? key.remaining : order === "used" ? usedShare(key) : key[order];
  const direction = order === "left" ? 1 : -1;
  return (one, other) => {
    const [mine, its] = [amountOf(one), amountOf(other)];
    if (mine === undefined || its === undefined)
      return Number(mine === undefined) - Number(its === undefined);
    return direction * (mine - its);
  };
}
