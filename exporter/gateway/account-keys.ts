import type { SecretSource } from "../config/secret.ts";
import type { AccountKey, AccountKeys } from "./account.ts";
import type { Send } from "./calls.ts";
import { GatewayError } from "./errors.ts";
import { type KeyRow, keysRequest, parseKeyRows } from "./wire/account-keys.ts";

/** A list that goes on would fill the memory. */
export const MOST_LISTED_KEYS = 25_000;

/**
 * Lists the keys of a workspace, undefined for the default one. Each page overlaps the previous one by one row, which
 * shows whether the list moved between the two requests, and ends the listing without knowledge of the page size.
 * @param newSend makes the function that sends one page, with a deadline of its own.
 * @throws GatewayError if the first page fails; the signal's reason if the run is aborted.
 */
export async function askAccountKeys(
  newSend: () => Send,
  name: string,
  workspace: string | undefined,
  secret: SecretSource,
): Promise<AccountKeys> {
  const action = `list the keys of "${name}"`;
  const listing = createListing();
  let pages = 0;
  try {
    for (; listing.offset() < MOST_LISTED_KEYS; pages++) {
      const body = await newSend()({ ...keysRequest(workspace, listing.offset()), action, secret });
      if (!listing.add(parseKeyRows(body, action))) return listing.result(undefined);
    }
  } catch (error) {
    // What the pages so far contain is true, but the rest is not known.
    if (error instanceof GatewayError && pages > 0) return listing.result(error);
    throw error;
  }
  return listing.result(
    new GatewayError("bad_response", `Cannot ${action}: there are more than ${MOST_LISTED_KEYS} keys`),
  );
}

function createListing() {
  const keys = new Map<string, AccountKey>();
  const unreadable = new Map<string, string>();
  const seen = new Set<string>();
  let rows = 0;
  let last: string | undefined;
  let moved = false;

  /** Adds a page. Returns whether there may be another one: this one has a row that no page had. */
  function add(page: readonly KeyRow[]): boolean {
    const start = offset();
    if (rows > 0 && page[0]?.hash !== last) moved = true;
    const before = seen.size;
    for (const [index, { hash, key }] of page.entries()) {
      const id = hash ?? `row ${start + index}`;
      seen.add(id);
      if (typeof key === "string") unreadable.set(id, key);
      else {
        keys.set(key.hash, key);
        unreadable.delete(id);
      }
    }
    rows = start + page.length;
    last = page.at(-1)?.hash;
    return seen.size > before;
  }

  /** The last row again. */
  const offset = (): number => Math.max(0, rows - 1);

  const result = (failure: Error | undefined): AccountKeys => ({
    keys: [...keys.values()],
    unreadableRows: unreadable.size,
    rowProblem: [...unreadable.values()][0],
    moved,
    failure,
  });

  return { add, offset, result };
}
