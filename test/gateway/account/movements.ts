import type { Account, Movement } from "../entities.ts";

export type NewMovement = Omit<Movement, "at"> & { readonly at?: number; readonly account?: string };

/** What an account has bought up to a time, less what was refunded, transferred away or has expired. */
export function boughtMicros(account: Account, at: number): number {
  const moved = account.movements.filter((movement) => movement.at <= at);
  return moved.reduce((sum, { micros }) => sum + micros, account.purchasedMicros ?? 0);
}

/** All purchases up to a time; they decide the daily quota of free requests. */
export function purchasedMicros(account: Account, at: number): number {
  const purchases = account.movements.filter((movement) => movement.kind === "purchase" && movement.at <= at);
  return purchases.reduce((sum, { micros }) => sum + micros, account.purchasedMicros ?? 0);
}

/** Adds a movement with the sign of its kind. */
export function addMovement(account: Account, movement: Movement): void {
  const { kind, micros } = movement;
  const isSigned = kind === "transfer" || (kind === "purchase" ? micros > 0 : micros < 0);
  if (!Number.isSafeInteger(micros) || micros === 0 || !isSigned) {
    const wanted = {
      purchase: "a positive",
      transfer: "a non-zero",
      refund: "a negative",
      expiry: "a negative",
    };
    throw new Error(
      `Cannot move credits: "micros" of a ${kind} is ${micros}, expected ${wanted[kind]} integer`,
    );
  }
  account.movements.push(movement);
}
