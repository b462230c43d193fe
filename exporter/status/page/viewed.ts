import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { isFiltered, KEY_STATES, type KeyState, type SortOrder, type View } from "../view.ts";
import { HIGH_SHARE, isAtLeast } from "./amount.ts";
import { isUsedUp, usedShare } from "./keys.ts";

/**
 * The part of the overview that a view shows, with the keys in its order. A view that leaves out keys also leaves out
 * what cannot be assigned to the others: the account, models and apps, probes.
 */
export function viewed(overview: Overview, view: View): Overview {
  const { sort } = view;
  const keys = isFiltered(view) ? overview.keys.filter((key) => isWanted(key, view)) : overview.keys;
  const ordered = sort === undefined ? byUrgency(keys) : keys.toSorted(by(sort));
  if (!isFiltered(view)) return { ...overview, keys: ordered };
  const budgets = overview.budgets.filter(
    ({ name, team }) => view.state === undefined && isNamed([name, team], team, view),
  );
  const nothing = {
    queries: [],
    budgetQueries: [],
    unwatched: undefined,
    account: undefined,
    probes: undefined,
  };
  return { ...overview, ...nothing, keys: ordered, budgets };
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
  failing: ({ state }) => state === "down",
  waiting: ({ state }) => state === "waiting",
  up: ({ state }) => state === "up",
  "used-up": isUsedUp,
  low: (key) => !isUsedUp(key) && key.isDisabled !== true && isAtLeast(usedShare(key) ?? 0, HIGH_SHARE),
  disabled: ({ isDisabled }) => isDisabled === true,
};

/** Failing keys first, then those used up, then those not polled yet; the rest in the order of the configuration. */
function byUrgency(keys: readonly KeyRow[]): readonly KeyRow[] {
  const groups = Map.groupBy(keys, urgency);
  return [0, 1, 2, 3].flatMap((level) => groups.get(level) ?? []);
}

function urgency(key: KeyRow): number {
  if (key.state === "down") return 0;
  if (isUsedUp(key)) return 1;
  return key.state === "waiting" ? 2 : 3;
}

/** Unknown amounts come last in every order. */
function by(order: SortOrder): (one: KeyRow, other: KeyRow) => number {
  if (order === "name") return (one, other) => (one.name < other.name ? -1 : Number(one.name > other.name));
  const amountOf = AMOUNTS[order];
  const direction = order === "left" ? 1 : -1;
  return (one, other) => {
    const [mine, its] = [amountOf(one), amountOf(other)];
    if (mine === undefined || its === undefined)
      return Number(mine === undefined) - Number(its === undefined);
    return direction * (mine - its);
  };
}

const AMOUNTS: Readonly<Record<Exclude<SortOrder, "name">, (key: KeyRow) => number | undefined>> = {
  used: usedShare,
  left: ({ remaining }) => remaining,
  day: ({ day }) => day,
  week: ({ week }) => week,
  month: ({ month }) => month,
  total: ({ total }) => total,
};
