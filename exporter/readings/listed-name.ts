import type { Owner } from "../config/config.ts";

/** The name of a listed key here, the label of its name at the gateway, which other keys may have as well, and the owner in that name. */
export interface ListedName {
  readonly name: string;
  readonly label: string;
  readonly owner: Owner;
}

/** The names of the keys of the account: by list, then by the hash of the key. */
export type ListedNames = ReadonlyMap<string, ReadonlyMap<string, ListedName>>;
