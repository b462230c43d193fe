import { holdsSecret } from "../secrets/redact.ts";
import type { AccountKey } from "../gateway/account.ts";
import type { ListedName, ListedNames } from "../readings/reading.ts";

/** The names of the account's keys, as the label `key` shows them. No two keys have the same one. */
export interface KeyDirectory {
  /**
   * The keys of a listing with their names. A key that another listing has is left out. With `isComplete`,
   * keys that were in the listing and are missing now lose their names.
   */
  named(listing: string, keys: readonly PlainKey[], names: Names, isComplete: boolean): readonly NamedKey[];
  /** Forgets the names of listings that are not configured any more, and all names of another account. */
  use(account: string, listings: readonly string[]): void;
  /** The names of all keys by listing and hash. */
  readonly listed: () => ListedNames;
}

/** A key with its plain name, which is empty if nothing of it can be shown. */
export interface PlainKey extends Pick<ListedName, "label" | "owner"> {
  readonly key: AccountKey;
  readonly plain: string;
}

/** The names that are taken, and those of keys that are also configured, by their hash: one secret may have several. */
export interface Names {
  readonly taken: ReadonlySet<string>;
  readonly configured: ReadonlyMap<string, readonly string[]>;
}

export interface NamedKey extends Omit<ListedName, "twins"> {
  readonly key: AccountKey;
  /** Whether the secret of the key is configured, so that it is polled under this name. */
  readonly isConfigured: boolean;
  /** Whether the secret of the key is configured under another name as well, which comes first. */
  readonly isTwin: boolean;
}

export function createKeyDirectory(): KeyDirectory {
  /** By listing and hash. */
  const listings = new Map<string, ReadonlyMap<string, ListedName>>();
  /** Who has each name, or had it until the listing before: no other key continues its series. */
  const holders = new Map<string, { readonly listing: string; readonly hash: string }>();
  let present: { readonly account: string; readonly listings: ReadonlySet<string> } | undefined;

  function use(account: string, names: readonly string[]): void {
    const isSame = present?.account === account;
    for (const name of listings.keys()) if (!isSame || !names.includes(name)) listings.delete(name);
    for (const [name, { listing }] of holders) if (!listings.has(listing)) holders.delete(name);
    present = { account, listings: new Set(names) };
  }

  function named(
    listing: string,
    keys: readonly PlainKey[],
    { taken, configured }: Names,
    isComplete: boolean,
  ): readonly NamedKey[] {
    const others = [...listings].filter(([name]) => name !== listing).map(([, names]) => names);
    const own = keys.filter(({ key: { hash } }) => !others.some((names) => names.has(hash)));
    const former: ReadonlyMap<string, ListedName> = listings.get(listing) ?? new Map();
    const listed = new Set(own.map(({ key }) => key.hash));
    for (const [name, holder] of holders) {
      const isGone = !former.has(holder.hash) && !listed.has(holder.hash);
      if (holder.listing === listing && isGone) holders.delete(name);
    }
    const polled = new Set(own.flatMap(({ key }) => configured.get(key.hash) ?? []));
    // A key whose secret was replaced is listed under another hash.
    const missing = [...former].filter(
      ([hash, { name }]) => !isComplete && !listed.has(hash) && !polled.has(name),
    );
    const used = new Set([
      ...taken,
      ...others.flatMap((names) => [...names.values()].map(({ name }) => name)),
      ...missing.map(([, { name }]) => name),
    ]);
    const result = own.toSorted(byAge).flatMap((plainKey): readonly NamedKey[] => {
      const { key, label, owner } = plainKey;
      const known = configured.get(key.hash);
      if (known)
        return known.map((name, index) => {
          return { key, name, label, owner, isConfigured: true, isTwin: index > 0 };
        });
      const { hash } = key;
      const name = freeName(plainKey, (one) => used.has(one) || (holders.get(one)?.hash ?? hash) !== hash);
      holders.set(name, { listing, hash });
      used.add(name);
      return [{ key, name, label, owner, isConfigured: false, isTwin: false }];
    });
    const names = [
      ...missing,
      ...result.flatMap(({ key, name, label, owner, isTwin }) =>
        isTwin
          ? []
          : [[key.hash, { name, label, owner, twins: configured.get(key.hash)?.slice(1) ?? [] }] as const],
      ),
    ];
    // A run may end after a reload has removed its listing.
    if (present?.listings.has(listing)) listings.set(listing, new Map(names));
    return result;
  }

  return { named, use, listed: () => listings };
}

/** Shorter than the names of configured keys may be, so that the digits of the hash fit. */
const LONGEST = 63;
const DIGITS = 8;

/** The plain name, or with as many digits of the hash as make it unique. */
function freeName({ key: { hash }, plain }: PlainKey, isTaken: (name: string) => boolean): string {
  if (plain !== "" && !isTaken(plain)) return plain;
  for (let digits = DIGITS; ; digits += DIGITS) {
    const beginning = (plain === "" ? "key" : plain).slice(0, Math.max(0, LONGEST - 1 - digits));
    const unique = `${beginning}-${hash.slice(0, digits)}`;
    if (!isTaken(unique) || digits >= hash.length) return unique;
  }
}

/** A name that reveals no secret, as a name of a configured key would be. */
export function plainName(name: string): string {
  const plain = name
    .slice(0, 4 * LONGEST)
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.]+/g, "-")
    .replaceAll(/^[-_.]+|[-_.]+$/g, "")
    .slice(0, LONGEST);
  return plain !== name && holdsSecret(plain) ? "" : plain;
}

/** The oldest first. Keys of an unknown age come last. */
function byAge({ key: one }: PlainKey, { key: other }: PlainKey): number {
  const [mine, its] = [one.createdAtMs ?? Infinity, other.createdAtMs ?? Infinity];
  if (mine !== its) return mine < its ? -1 : 1;
  return one.hash < other.hash ? -1 : 1;
}
