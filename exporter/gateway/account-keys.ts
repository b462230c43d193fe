import type { SecretSource } from "../secrets/secret.ts";
import type { AccountKey, AccountKeys } from "./account.ts";
import type { Send } from "./calls.ts";
import { GatewayError, unlessMissing } from "./errors.ts";
import {
  type KeyRow,
  keysRequest,
  parseKeyRows,
  parseWorkspaces,
  type WorkspaceRow,
  workspacesRequest,
} from "./wire/account-keys.ts";

/** A list that goes on would fill the memory. */
const MOST_LISTED_KEYS = 25_000;

/**
 * Lists the keys of a workspace, undefined for the default one. Each page overlaps the previous one by one row, which
 * shows whether the list moved between the two requests, and ends the listing without knowledge of the page size.
 * @param newSend makes the function that sends one page, with a deadline of its own.
 * @throws GatewayError if the first page fails; the signal's reason if the run is aborted.
 */
export async function fetchAccountKeys(
  newSend: () => Send,
  name: string,
  workspace: string | undefined,
  secret: SecretSource,
  memory: ListingMemory,
): Promise<AccountKeys> {
  const action = `list the keys of "${name}"`;
  const listing = createListing();
  let pages = 0;
  try {
    for (; listing.offset() < MOST_LISTED_KEYS; pages++) {
      const page = { ...keysRequest(workspace, listing.offset(), !memory.omitsExpired), action, secret };
      if (!listing.add(parseKeyRows(await newSend()(page), action))) return listing.result(undefined);
    }
  } catch (error) {
    if (pages === 0 && !memory.omitsExpired && error instanceof GatewayError && error.status === 400) {
      memory.omitsExpired = true;
      return fetchAccountKeys(newSend, name, workspace, secret, memory);
    }
    // What the pages so far contain is true, but the rest is not known.
    if (error instanceof GatewayError && pages > 0) return listing.result(error);
    throw error;
  }
  return listing.result(
    new GatewayError("bad_response", `Cannot ${action}: there are more than ${MOST_LISTED_KEYS} keys`),
  );
}

/**
 * Lists the keys of every workspace, with its name. If one list is incomplete, so is the whole. A service without workspaces
 * has the default one only.
 */
export async function fetchAllAccountKeys(
  newSend: () => Send,
  name: string,
  secret: SecretSource,
  memory: ListingMemory,
): Promise<AccountKeys> {
  const workspaces = await unlessMissing(fetchWorkspaces(newSend, secret));
  if (!workspaces) return fetchAccountKeys(newSend, name, undefined, secret, memory);
  const keys = new Map<string, AccountKey>();
  const lists: AccountKeys[] = [];
  for (const { id, name: title } of workspaces) {
    const list = await fetchAccountKeys(newSend, name, id, secret, memory);
    lists.push(list);
    for (const key of list.keys) keys.set(key.hash, { ...key, workspaceName: title === "" ? id : title });
  }
  return {
    keys: [...keys.values()],
    unreadableRows: lists.reduce((sum, { unreadableRows }) => sum + unreadableRows, 0),
    rowProblem: lists.find(({ rowProblem }) => rowProblem !== undefined)?.rowProblem,
    moved: lists.some(({ moved }) => moved),
    failure: lists.find(({ failure }) => failure)?.failure,
  };
}

async function fetchWorkspaces(newSend: () => Send, secret: SecretSource): Promise<readonly WorkspaceRow[]> {
  const action = "list the workspaces";
  const found = new Map<string, WorkspaceRow>();
  for (;;) {
    const page = parseWorkspaces(
      await newSend()({ ...workspacesRequest(found.size), action, secret }),
      action,
    );
    const before = found.size;
    for (const workspace of page) found.set(workspace.id, workspace);
    if (found.size === before) return [...found.values()];
  }
}

/** What is known of the service's lists. */
export interface ListingMemory {
  /** Whether the service is too old to be asked for expired keys. */
  omitsExpired: boolean;
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

  const result = (failure: GatewayError | undefined): AccountKeys => ({
    keys: [...keys.values()],
    unreadableRows: unreadable.size,
    rowProblem: [...unreadable.values()][0],
    moved,
    failure,
  });

  return { add, offset, result };
}
