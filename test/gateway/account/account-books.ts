import { memberOf, type DimensionName } from "../analytics/dimensions.ts";
import { type Integers, integersOf, numbersOf } from "../analytics/metrics.ts";
import type { Context } from "../context.ts";
import { type Key, mainAccount, type Account, type Movement } from "../entities.ts";
import { addFigures, type Entry, type Figures, noFigures, type Ledger } from "../ledger.ts";
import { type KeyBook, keyBook } from "../key-book.ts";
import { boughtMicros } from "./movements.ts";
import type { Switches } from "../switches.ts";
import type { World } from "../world.ts";

export type Period = {
  readonly start: number;
  readonly end: number;
  readonly at?: number;
  readonly account?: string;
};
/** Labels as in the rows of analytics; null is unset. */
export type UsageBook = {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly integers: Integers;
  readonly numbers: Integers;
};
export type ListedKey = {
  readonly name: string;
  readonly title: string;
  readonly hash: string;
  readonly workspace: string;
  readonly disabled: boolean;
  readonly expiresAt: number | null;
  readonly book: KeyBook;
};

/** The reference for the answers about a whole account. `at` means "as known at this time", now by default. */
export function createAccountBooks(context: Context, now: () => number) {
  const { world, ledger } = context;
  const total = (period: Period, isWanted: (key: Key) => boolean): UsageBook => {
    const sum = { ...noFigures };
    for (const entry of entriesOf(period)) if (isWanted(entry.route.key)) addFigures(sum, entry);
    return usageBook({}, sum);
  };
  function* entriesOf({ start, end, at = now(), account = mainAccount }: Period): Generator<Entry> {
    for (const entry of ledger.entries(start, end)) {
      if (entry.at <= at && entry.route.key.account.name === account) yield entry;
    }
  }
  return {
    /** Sums per combination of labels: two things with the same label form one row. */
    usage(period: Period, by: readonly DimensionName[]): readonly UsageBook[] {
      const rows = new Map<string, { labels: UsageBook["labels"]; figures: Figures }>();
      for (const entry of entriesOf(period)) {
        const labels = Object.fromEntries(
          by.map((name) => [name, memberOf(name, entry.route)?.label ?? null]),
        );
        const name = JSON.stringify(labels);
        const row = rows.get(name) ?? { labels, figures: { ...noFigures } };
        rows.set(name, row);
        addFigures(row.figures, entry);
      }
      return [...rows.values()].map(({ labels, figures }) => usageBook(labels, figures));
    },
    /** What everything but the keys of these names spent. */
    unwatched: (period: Period, watched: readonly string[]): UsageBook =>
      total(period, (key) => !watched.includes(key.name)),
    /** Every key that exists now, of all workspaces, oldest first. */
    keys: (account = mainAccount): readonly ListedKey[] => {
      const at = now();
      return listedKeys(world, world.account(account), "oldest_first").map((key) => ({
        name: key.name,
        title: key.title,
        hash: key.hash,
        workspace: key.workspace.id,
        disabled: key.disabled,
        expiresAt: key.expiresAt,
        book: keyBook(ledger, key, at, at),
      }));
    },
    balance: (at = now(), account = mainAccount): BalanceBook =>
      balanceBook(ledger, world.account(account), at),
  };
}

function usageBook(labels: UsageBook["labels"], figures: Figures): UsageBook {
  const integers = integersOf(figures);
  return { labels, integers, numbers: numbersOf(integers) };
}

export type Balance = { readonly bought: number; readonly spent: number; readonly balance: number };
export type BalanceBook = {
  readonly micros: Balance;
  readonly credits: Balance;
  readonly movements: readonly Movement[];
};

/** An account's balance as known at a time; negative after an overdraft. */
export function balanceBook(ledger: Ledger, account: Account, at: number): BalanceBook {
  const bought = boughtMicros(account, at);
  const spent = ledger.accountMicrosAt(account, at);
  const balance = bought - spent;
  return {
    micros: { bought, spent, balance },
    credits: { bought: bought / 1e6, spent: spent / 1e6, balance: balance / 1e6 },
    movements: account.movements.filter((movement) => movement.at <= at),
  };
}

/** The keys of an account that a listing may show: neither deleted nor management keys. */
export function listedKeys(world: World, account: Account, order: Switches["keysOrder"]): readonly Key[] {
  const keys = [...world.keys.values()].filter(
    (key) => key.account === account && key.deletedAt === null && !key.management && !key.keyless,
  );
  const sign = order === "oldest_first" ? 1 : -1;
  return keys.toSorted((left, right) => sign * (left.createdAt - right.createdAt || left.id - right.id));
}
