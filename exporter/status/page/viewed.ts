import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { isFiltered, KEY_STATES, type KeyState, type SortOrder, type View } from "../view.ts";
import { byExhaustion, isRunningOut } from "./outlook.ts";
import { isLow, isUsedUp, usedShare } from "./keys.ts";

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
  failing: ({ state }) => state === "down",
  waiting: ({ state }) => state === "waiting",
  up: ({ state }) => state === "up",
  "used-up": isUsedUp,
  low: isLow,
  disabled: ({ isDisabled }) => isDisabled === true,
};

/** Failing keys first, then those used up, those that run out, and those not polled yet; the rest as configured. */
function urgency(key: KeyRow): number {
  if (key.state === "down") return 0;
  if (isUsedUp(key)) return 1;
  if (isRunningOut(key)) return 2;
  return key.state === "waiting" ? 3 : 4;
}

/** Unknown amounts come last in every order. */
function by(order: SortOrder | undefined): (one: KeyRow, other: KeyRow) => number {
  if (order === undefined) return (one, other) => urgency(one) - urgency(other) || byExhaustion(one, other);
  if (order === "out") return byExhaustion;
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
