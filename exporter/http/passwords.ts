import { createHmac, randomBytes } from "node:crypto";
import type { Bcrypt } from "./bcrypt.ts";

/** Checks the passwords of basic authentication. */
export interface Passwords {
  /**
   * Whether the password is the user's. Unknown users take as long as known ones, so timing reveals nothing.
   * @throws TooManyComparisonsError
   */
  readonly matches: (users: ReadonlyMap<string, string>, user: string, password: string) => Promise<boolean>;
}

/** Correct passwords are cached, so that a scrape does not compute a hash. The oldest entry is dropped first. */
const MOST_CACHED = 100;

/** The cache holds no password, only a digest of user, hash and password under a random key of this process. */
export function createPasswords({ compare }: Pick<Bcrypt, "compare">): Passwords {
  const key = randomBytes(32);
  const cache = new Map<string, Promise<boolean>>();

  async function matches(
    users: ReadonlyMap<string, string>,
    user: string,
    password: string,
  ): Promise<boolean> {
    const hash = users.get(user);
    if (hash === undefined) {
      await compare(password, decoy(users));
      return false;
    }
    const digest = createHmac("sha256", key)
      .update(JSON.stringify([user, hash, password]))
      .digest("base64");
    const cached = cache.get(digest);
    // Requests that arrive together share the first one's comparison.
    if (cached) return cached;
    const comparison = compare(password, hash);
    cache.set(digest, comparison);
    const isMatch = await comparison.catch((error: unknown) => {
      cache.delete(digest);
      throw error;
    });
    if (!isMatch) cache.delete(digest);
    for (const oldest of cache.keys()) {
      if (cache.size <= MOST_CACHED) break;
      cache.delete(oldest);
    }
    return isMatch;
  }

  return { matches };
}

/** A hash without a known password, as expensive as the users' most expensive one. */
function decoy(users: ReadonlyMap<string, string>): string {
  const costs = [...users.values()].map((hash) => hash.slice(4, 6));
  const cost = costs.toSorted().at(-1) ?? "10";
  return `$2b$${cost}$${"aigatewayexporter/unknown".slice(0, 21)}e${"aigatewayexporter".padEnd(31, ".")}`;
}
