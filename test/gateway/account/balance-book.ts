import type { Account, Movement } from "../entities.ts";
import type { Ledger } from "../ledger.ts";
import { boughtMicros } from "./movements.ts";

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
