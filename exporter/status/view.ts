import { URGENCIES } from "./target-rows.ts";

/** What a reader wants to see of the status page; an empty text or undefined: everything. */
export interface View {
  /** Part of a name, team, project or cost centre, in lower case. */
  readonly search: string;
  readonly team: string;
  readonly state: KeyState | undefined;
  /** Undefined: what stops first comes first. */
  readonly sort: SortOrder | undefined;
  /** Page of the table of keys, from 1. */
  readonly page: number;
}

/** How soon a key stops, and the state of its polls. */
export const KEY_STATES = [...URGENCIES, "failing", "waiting", "up", "disabled"] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** The name in ascending order, what is left from the least on, and amounts from the largest on. */
export const SORT_ORDERS = ["name", "used", "left", "day", "week", "month", "total"] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

/** The whole page. */
export const WHOLE: View = { search: "", team: "", state: undefined, sort: undefined, page: 1 };

/** Whether a view leaves out keys. */
export function isFiltered({ search, team, state }: View): boolean {
  return search !== "" || team !== "" || state !== undefined;
}

/** The path of the status page as JSON. */
export const STATUS_PATH = "/api/v1/status";

/** The path of the pages of single keys. */
export const KEYS_PATH = "/keys/";

/** The paths of the pages of the account and of the exporter itself. */
export const ACCOUNT_PATH = "/account";
export const EXPORTER_PATH = "/exporter";

/** What the analytics divide the spend by. */
export type Axis = "model" | "app";

/** The pages of all models and of all apps. The page of one of them is at `/models/NAME`. */
export const AXIS_PATHS: Readonly<Record<Axis, string>> = { model: "/models", app: "/apps" };

/** The address of the page of a key. */
export function keyAddress(name: string): string {
  return KEYS_PATH + encodeURIComponent(name.toWellFormed());
}

/** The address of the page of a model or an app; of all of them without a name. */
export function axisAddress(axis: Axis, name?: string): string {
  const path = AXIS_PATHS[axis];
  return name === undefined ? path : `${path}/${encodeURIComponent(name.toWellFormed())}`;
}

/** The address of a view, without the parameters that change nothing. */
export function addressOf({ search, team, state, sort, page }: View, path = "/"): string {
  const given = Object.entries({ search, team, state, sort, page: page === 1 ? "" : String(page) });
  const query = new URLSearchParams();
  for (const [name, value = ""] of given) if (value !== "") query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** The view that the parameters of an address describe, or every problem with them. */
export function readView(query: string): { readonly view: View } | { readonly problems: readonly string[] } {
  const given = new URLSearchParams(query);
  const problems = [...new Set(given.keys())].flatMap((name) => problemsOf(name, given.getAll(name)));
  if (problems.length > 0) return { problems };
  const text = (name: string) => given.get(name)?.trim() ?? "";
  return {
    view: {
      search: text("search").toLowerCase(),
      team: text("team"),
      state: KEY_STATES.find((state) => state === text("state")),
      sort: SORT_ORDERS.find((sort) => sort === text("sort")),
      page: text("page") === "" ? 1 : Number(text("page")),
    },
  };
}

const LONGEST_TEXT = 100;

const isShort = (value: string) => value.length <= LONGEST_TEXT;
const isOneOf = (known: readonly string[]) => (value: string) => value === "" || known.includes(value);

/** An empty value is one that is not given, because forms send all their fields. */
const RULES: ReadonlyMap<string, readonly [isRight: (value: string) => boolean, rule: string]> = new Map([
  ["search", [isShort, `a text of at most ${LONGEST_TEXT} characters`]],
  ["team", [isShort, `a text of at most ${LONGEST_TEXT} characters`]],
  ["state", [isOneOf(KEY_STATES), `one of ${KEY_STATES.join(", ")}`]],
  ["sort", [isOneOf(SORT_ORDERS), `one of ${SORT_ORDERS.join(", ")}`]],
  ["page", [(value) => /^([1-9]\d{0,5})?$/.test(value), "a number from 1"]],
]);

function problemsOf(name: string, values: readonly string[]): readonly string[] {
  const [value = ""] = values;
  const [isRight, rule] = RULES.get(name) ?? [];
  if (!isRight)
    return [`${JSON.stringify(name)} is not a parameter of the page; use ${[...RULES.keys()].join(", ")}`];
  if (values.length > 1) return [`${name} is given more than once`];
  return isRight(value.trim()) ? [] : [`${name}: ${JSON.stringify(value)} is not ${rule}`];
}
