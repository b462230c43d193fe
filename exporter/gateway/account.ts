import type { KeyInformation } from "./key-information.ts";

/** One key of the account, as a management key sees it. What a row cannot show is undefined: the free quota. */
export interface AccountKey {
  /** The only identity of a key: the SHA-256 of its secret, 64 lower-case hexadecimal digits, or another text at some services. */
  readonly hash: string;
  /** Two keys may have the same name, and a name may change; empty if the row has none. */
  readonly name: string;
  readonly disabled: boolean | undefined;
  readonly createdAtMs: number | undefined;
  /** Null: not used since the end of 2025. Undefined: the service does not send it. */
  readonly lastUsedAtMs?: number | null | undefined;
  /** Whether the service says so. */
  readonly neverExpires: boolean;
  readonly workspace: string | undefined;
  /** Absent: the list is of one workspace. */
  readonly workspaceName?: string;
  readonly information: KeyInformation;
}

/** The keys of one workspace. Only a complete listing that did not move proves that a missing key is gone. */
export interface AccountKeys {
  readonly keys: readonly AccountKey[];
  /** Number of rows that are no keys or have a value of a wrong type. */
  readonly unreadableRows: number;
  /** Why the first unreadable row was rejected: the column's name, never its value. */
  readonly rowProblem: string | undefined;
  /** Whether keys were created or deleted between two pages, so that keys may be missing. */
  readonly moved: boolean;
  /** Why the rest of the pages is missing; undefined: the listing is complete. */
  readonly failure: Error | undefined;
}

/** Credits that the account has bought and used in all; the balance is the difference and may be negative. */
export interface AccountCredits {
  /** Falls with refunds, transfers and expiries. */
  readonly boughtCredits: number;
  readonly usedCredits: number;
}

/** The names that analytics queries may use, as the service writes them. */
export interface Capabilities {
  readonly metrics: readonly { readonly name: string; readonly isRate: boolean | undefined }[];
  readonly dimensions: readonly string[];
  readonly granularities: readonly string[];
}
