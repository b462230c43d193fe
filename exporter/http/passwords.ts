import { createHmac, randomBytes } from "node:crypto";
import type { Bcrypt } from "./bcrypt.ts";
import { createLoginQueue, TooManyLoginsError } from "./login-queue.ts";

/** Checks the passwords of basic authentication. */
export interface Passwords {
  /**
   * Whether the password is the user's. `address` is the client's. A wrong login takes the same work for each user and
   * for unknown ones, so timing reveals nothing.
   * @throws TooManyLoginsError
   */
  readonly matches: (users: ReadonlyMap<string, string>, login: Login) => Promise<boolean>;
}

export interface Login {
  readonly user: string;
  readonly password: string;
  readonly address: string;
}

/** Outcomes are cached, so that neither a scrape nor a repeated guess computes a hash. */
const MOST_CORRECT = 100;
const MOST_WRONG = 1000;
/** A flood of thousands of logins a second must not push out a client that tries again after ten seconds. */
const MOST_REFUSED = 50_000;

/** The caches hold no password, only a digest of user, hash and password under a random key of this process. */
export function createPasswords({ compare }: Pick<Bcrypt, "compare">): Passwords {
  const key = randomBytes(32);
  const queue = createLoginQueue();
  const pending = new Map<string, Promise<boolean>>();
  const correct = createRecent<string, true>(MOST_CORRECT);
  const wrong = createRecent<string, true>(MOST_WRONG);
  /** How often credentials were refused without a comparison, by a part of their digest. */
  const refused = createRecent<number, number>(MOST_REFUSED);

  async function compared(digest: Buffer, address: string, hashes: readonly string[], password: string) {
    const short = digest.readUIntLE(0, 6);
    const refusals = refused.get(short) ?? 0;
    try {
      return await queue.run({ address, refusals }, () => compare(password, hashes));
    } catch (error) {
      if (error instanceof TooManyLoginsError) refused.set(short, refusals + 1);
      throw error;
    }
  }

  return {
    matches: async (users, { user, password, address }) => {
      const known = users.get(user);
      const hashes = comparisons(known, [...users.values()].map(costOf));
      const digest = createHmac("sha256", key)
        .update(JSON.stringify([user, hashes[0], password]))
        .digest();
      const id = digest.toString("base64");
      if (correct.get(id)) return true;
      if (wrong.get(id)) return false;
      // Requests that arrive together share the first one's comparison.
      const comparison =
        pending.get(id) ??
        compared(digest, address, hashes, password)
          .then((isEqual) => isEqual && known !== undefined)
          .finally(() => pending.delete(id));
      pending.set(id, comparison);
      const isMatch = await comparison;
      (isMatch ? correct : wrong).set(id, true);
      return isMatch;
    },
  };
}

/** Keeps the entries that were set last. */
function createRecent<Key, Value>(most: number) {
  const entries = new Map<Key, Value>();
  return {
    get: (key: Key) => entries.get(key),
    set: (key: Key, value: Value) => {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.size > most ? entries.keys() : [];
      if (oldest !== undefined) entries.delete(oldest);
    },
  };
}

/**
 * The hashes to compare one after another until one matches. Together they take as much work as one of the highest
 * cost: each step of cost doubles the work, so a cost c and decoys of c, c + 1, … up to the one below the highest.
 */
function comparisons(known: string | undefined, costs: readonly number[]): readonly string[] {
  const highest = Math.max(...costs);
  if (known === undefined) return [decoy(highest)];
  const lowest = costOf(known);
  return [known, ...Array.from({ length: highest - lowest }, (_, step) => decoy(lowest + step))];
}

function costOf(hash: string): number {
  return Number(hash.slice(4, 6));
}

/** A hash without a known password. */
function decoy(cost: number): string {
  const digits = String(cost).padStart(2, "0");
  return `$2b$${digits}$${"aigatewayexporter/unknown".slice(0, 21)}e${"aigatewayexporter".padEnd(31, ".")}`;
}
