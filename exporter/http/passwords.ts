import { createHmac, randomBytes } from "node:crypto";
import type { Bcrypt } from "./bcrypt.ts";

/** Checks the passwords of basic authentication. */
export interface Passwords {
  /**
   * Whether it is the user's password. For a user that there is not it computes as long as for one that there is.
   * @throws TooManyComparisonsError
   */
  readonly isRight: (users: ReadonlyMap<string, string>, user: string, password: string) => Promise<boolean>;
}

/** Right passwords that are remembered, so that not each scrape computes a hash; the oldest are forgotten first. */
const MOST_REMEMBERED = 100;

/** Keeps no password: what is remembered is a digest under a key of this process, of user, hash and password. */
export function createPasswords({ compare }: Pick<Bcrypt, "compare">): Passwords {
  const key = randomBytes(32);
  const remembered = new Map<string, Promise<boolean>>();

  async function isRight(
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
    const known = remembered.get(digest);
    // Several that come at once wait for the first.
    if (known) return known;
    const comparison = compare(password, hash);
    remembered.set(digest, comparison);
    const isMatch = await comparison.catch((error: unknown) => {
      remembered.delete(digest);
      throw error;
    });
    if (!isMatch) remembered.delete(digest);
    for (const oldest of remembered.keys()) {
      if (remembered.size <= MOST_REMEMBERED) break;
      remembered.delete(oldest);
    }
    return isMatch;
  }

  return { isRight };
}

/** A hash of no known password with the highest cost of all users. */
function decoy(users: ReadonlyMap<string, string>): string {
  const costs = [...users.values()].map((hash) => hash.slice(4, 6));
  const cost = costs.toSorted().at(-1) ?? "10";
  return `$2b$${cost}$${"aigatewayexporter/unknown".slice(0, 21)}e${"aigatewayexporter".padEnd(31, ".")}`;
}
