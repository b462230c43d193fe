import { createHash } from "node:crypto";
import { windowStart } from "./calendar.ts";
import type { Story } from "./story.ts";

/** The keys of the account that each gateway serves, whether or not they are configured. */
export interface AccountKeys {
  /** The numbers of the keys that exist at a true time, newest first. */
  existing(atMs: number): readonly number[];
  /** Those of them that did not expire before the month: the others have spent nothing in any window that is shown. */
  watched(atMs: number): readonly number[];
  /** Those that were in the same workspace at both times: the list of the former workspace may come first. */
  stayed(sinceMs: number, atMs: number): readonly number[];
  /** When a key exists, epoch milliseconds. Undefined: never, or it belongs to another account. */
  lifetime(key: number): Lifetime | undefined;
  /** The name that the account has given to a key. Several keys may have the same one. */
  title(key: number, atMs: number): string;
  isDisabled(key: number, atMs: number): boolean;
  workspace(key: number, atMs: number): Workspace;
  /** The account of a secret that is accepted at a true time. */
  accepted(account: number | undefined, atMs: number): number | undefined;
}

/** The first one is the default. */
export const WORKSPACES = ["w0", "w1"] as const;
export type Workspace = (typeof WORKSPACES)[number];

export interface Lifetime {
  readonly fromMs: number;
  readonly toMs: number;
  /** From then on its secret is refused. */
  readonly expiresMs: number;
}

/** The accounts of the first secret files, and the keys that no file ever holds. */
export const ACCOUNT_KEYS: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7, 500, 501, 502, 503, 504, 505];

/** They exist only after a story has created them. */
const CREATED: ReadonlySet<number> = new Set([503, 504]);
/** Some configurations exclude its name. */
const HIDDEN = 505;

/** From this number on accounts are management keys. */
const FIRST_MANAGEMENT = 900;

/** A management key of another account, whose keys and spend are those that the other gateway has. */
export const FOREIGN = 950;

export function isManagement(account: number | undefined): boolean {
  return account !== undefined && account >= FIRST_MANAGEMENT;
}

/** The first secret of an account, or a later one. */
export function tokenOf(account: number, version: number): string {
  return `sk-world-${account}-${version}`;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function createAccountKeys({ start, events }: Pick<Story, "start" | "events">): AccountKeys {
  const startMs = Date.parse(start);
  const changes = events
    .filter((event) => event.do === "key")
    .map(({ at, ...change }) => ({ atMs: startMs + at * 1000, ...change }));
  const first = (key: number, change: string, afterMs: number) =>
    changes.find((one) => one.key === key && one.change === change && one.atMs >= afterMs)?.atMs ?? Infinity;
  const lifetimes = new Map(
    ACCOUNT_KEYS.map((key) => {
      const fromMs = CREATED.has(key) ? first(key, "create", -Infinity) : -Infinity;
      const expiresMs = first(key, "expire", -Infinity);
      return [key, { fromMs, toMs: first(key, "delete", fromMs), expiresMs }] as const;
    }),
  );
  const countOf = (key: number, change: string, atMs: number) =>
    changes.filter((one) => one.key === key && one.change === change && one.atMs <= atMs).length;
  const existing = (atMs: number) =>
    ACCOUNT_KEYS.toReversed().filter((key) => {
      const { fromMs = Infinity, toMs = 0 } = lifetimes.get(key) ?? {};
      return fromMs <= atMs && atMs < toMs;
    });
  const watched = (atMs: number) =>
    existing(atMs).filter((key) => (lifetimes.get(key)?.expiresMs ?? atMs) >= windowStart("month", atMs));
  return {
    existing,
    watched,
    stayed: (sinceMs, atMs) =>
      watched(atMs).filter((key) => countOf(key, "move", sinceMs) === countOf(key, "move", atMs)),
    lifetime: (key) => lifetimes.get(key),
    title: (key, atMs) => {
      const renames = countOf(key, "rename", atMs);
      if (key === HIDDEN) return "Hidden";
      // Two keys that are renamed as often have the same name.
      const created = changes.find((one) => one.key === key && one.title !== undefined)?.title;
      return renames === 0 ? (created ?? `Key ${key}`) : `Team ${renames}`;
    },
    isDisabled: (key, atMs) => countOf(key, "disable", atMs) % 2 === 1,
    accepted: (account, atMs) =>
      (lifetimes.get(account ?? -1)?.expiresMs ?? Infinity) <= atMs ? undefined : account,
    workspace: (key, atMs) => (countOf(key, "move", atMs) === 0 ? "w0" : "w1"),
  };
}
