/** The name of a listed key here, and the label of its name at the gateway, which other keys may have as well. */
export interface ListedName {
  readonly name: string;
  readonly label: string;
}

/** The names of the keys of the account: by list, then by the hash of the key. */
export type ListedNames = ReadonlyMap<string, ReadonlyMap<string, ListedName>>;
