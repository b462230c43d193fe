import { holdsSecret } from "../config/secret.ts";
import type { AccountKey } from "../gateway/account.ts";

/** The names of the account's keys, as the label `key` shows them. No two keys have the same one. */
export interface KeyDirectory {
  /**
   * The keys of a listing with their names. A key that another listing has is left out. `isComplete`: keys of the same
   * listing that are missing now have lost their names.
   */
  named(listing: string, keys: readonly PlainKey[], names: Names, isComplete: boolean): readonly NamedKey[];
}

/** A key with its plain name; empty if nothing of it can be shown. */
export interface PlainKey {
  readonly key: AccountKey;
  readonly plain: string;
}

/** The names that are taken, and those of keys that are also configured, by their hash. */
export interface Names {
  readonly taken: ReadonlySet<string>;
  readonly configured: ReadonlyMap<string, string>;
}

export interface NamedKey {
  readonly key: AccountKey;
  readonly name: string;
  /** Whether the secret of the key is configured, so that it is polled under this name. */
  readonly isConfigured: boolean;
}

export function createKeyDirectory(): KeyDirectory {
  /** By listing and hash. */
  const listings = new Map<string, ReadonlyMap<string, string>>();

  function named(
    listing: string,
    keys: readonly PlainKey[],
    { taken, configured }: Names,
    isComplete: boolean,
  ): readonly NamedKey[] {
    const others = [...listings].filter(([name]) => name !== listing).map(([, names]) => names);
    const own = keys.filter(({ key: { hash } }) => !others.some((names) => names.has(hash)));
    const listed = new Set(own.map(({ key }) => key.hash));
    const missing = [...(listings.get(listing) ?? [])].filter(([hash]) => !isComplete && !listed.has(hash));
    const used = new Set([
      ...taken,
      ...others.flatMap((names) => [...names.values()]),
      ...missing.map(([, name]) => name),
    ]);
    const result = own.toSorted(byAge).map((plainKey): NamedKey => {
      const { key } = plainKey;
      const known = configured.get(key.hash);
      if (known !== undefined) return { key, name: known, isConfigured: true };
      const name = freeName(plainKey, used);
      used.add(name);
      return { key, name, isConfigured: false };
    });
    listings.set(listing, new Map([...missing, ...result.map(({ key, name }) => [key.hash, name] as const)]));
    return result;
  }

  return { named };
}

/** Shorter than the names of configured keys may be, so that the digits of the hash fit. */
const LONGEST = 63;
const DIGITS = 8;

/** The plain name, or with as many digits of the hash as make it unique. */
function freeName({ key: { hash }, plain }: PlainKey, used: ReadonlySet<string>): string {
  if (plain !== "" && !used.has(plain)) return plain;
  for (let digits = DIGITS; ; digits += DIGITS) {
    const beginning = (plain === "" ? "key" : plain).slice(0, Math.max(0, LONGEST - 1 - digits));
    const unique = `${beginning}-${hash.slice(0, digits)}`;
    if (!used.has(unique) || digits >= hash.length) return unique;
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
