/** What the name of a listed key at the gateway shows. */
export interface ListedName {
  /** The name here. No other key has it. */
  readonly name: string;
  /** The other names, if its secret is configured under several. */
  readonly twins: readonly string[];
  /** The label of the name at the gateway, which other keys may have as well. */
  readonly label: string;
  /** Empty where the name contains none. */
  readonly owner: Readonly<Record<"team" | "project" | "costCenter", string>>;
}

/** The names of the keys of the account: by list, then by the hash of the key. */
export type ListedNames = ReadonlyMap<string, ReadonlyMap<string, ListedName>>;
