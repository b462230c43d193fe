import { describe, expect, test } from "vitest";

import { TooManyComparisonsError } from "../../../exporter/http/bcrypt.ts";
import { createPasswords } from "../../../exporter/http/passwords.ts";

const USERS = new Map([
  ["alice", `$2y$05$${"a".repeat(53)}`],
  ["bob", `$2b$12$${"b".repeat(53)}`],
]);

/** Passwords over a fake comparison that accepts "secret" for every hash and records its calls. */
function setUp() {
  const asked: string[] = [];
  const passwords = createPasswords({
    compare: (password, hash) => {
      asked.push(`${password} ${hash.slice(0, 7)}`);
      return password === "overload"
        ? Promise.reject(new TooManyComparisonsError())
        : Promise.resolve(password === "secret");
    },
  });
  return { ...passwords, asked };
}

describe("matches()", () => {
  test("compares a correct password only once", async () => {
    const { matches, asked } = setUp();
    for (let time = 0; time < 3; time++) expect(await matches(USERS, "alice", "secret")).toBe(true);
    expect(asked).toEqual(["secret $2y$05$"]);
  });

  test("compares a wrong password each time", async () => {
    const { matches, asked } = setUp();
    for (let time = 0; time < 2; time++) expect(await matches(USERS, "alice", "guess")).toBe(false);
    expect(asked).toHaveLength(2);
  });

  test("shares one comparison between requests that arrive together", async () => {
    const { matches, asked } = setUp();
    const all = await Promise.all(Array.from({ length: 40 }, () => matches(USERS, "bob", "secret")));
    expect([new Set(all), asked]).toEqual([new Set([true]), ["secret $2b$12$"]]);
  });

  test.each(["secret", "guess"])(
    "refuses an unknown user with %j after a comparison of the highest cost",
    async (password) => {
      const { matches, asked } = setUp();
      expect(await matches(USERS, "eve", password)).toBe(false);
      expect(await matches(USERS, "eve", password)).toBe(false);
      expect(asked).toEqual([`${password} $2b$12$`, `${password} $2b$12$`]);
    },
  );

  test("compares again for a changed hash, another user, or the same characters split differently", async () => {
    const { matches, asked } = setUp();
    const users = new Map([
      ["a", `$2b$04$${"c".repeat(53)}`],
      ["a:s", `$2b$04$${"c".repeat(53)}`],
    ]);
    await matches(users, "a", "secret");
    await matches(new Map([["a", `$2b$06$${"d".repeat(53)}`]]), "a", "secret");
    expect(await matches(users, "a:s", "ecret")).toBe(false);
    expect(asked).toHaveLength(3);
  });

  test("caches a hundred correct passwords and drops the oldest first", async () => {
    const { matches, asked } = setUp();
    const users = new Map(
      Array.from({ length: 101 }, (_, each) => [`user${each}`, `$2b$04$${"e".repeat(53)}`]),
    );
    for (const user of users.keys()) await matches(users, user, "secret");
    await matches(users, "user100", "secret");
    expect(asked).toHaveLength(101);
    await matches(users, "user0", "secret");
    expect(asked).toHaveLength(102);
  });

  test("does not cache a comparison that failed", async () => {
    const { matches, asked } = setUp();
    for (let time = 0; time < 2; time++) {
      await expect(matches(USERS, "alice", "overload")).rejects.toThrow(TooManyComparisonsError);
    }
    expect(asked).toHaveLength(2);
  });
});
