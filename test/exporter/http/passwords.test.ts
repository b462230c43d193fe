import { describe, expect, test } from "vitest";

import { TooManyLoginsError } from "../../../exporter/http/login-queue.ts";
import { createPasswords } from "../../../exporter/http/passwords.ts";

const USERS = new Map([
  ["alice", `$2y$05$${"a".repeat(53)}`],
  ["bob", `$2b$12$${"b".repeat(53)}`],
]);

/** Passwords over a fake comparison that accepts "secret" for every hash and records its calls. */
function setUp() {
  const asked: string[] = [];
  const works: number[] = [];
  const { matches } = createPasswords({
    compare: (password, hashes) => {
      asked.push(`${password} ${hashes[0]?.slice(0, 7)}`);
      works.push(hashes.reduce((sum, hash) => sum + 2 ** Number(hash.slice(4, 6)), 0));
      return password === "broken"
        ? Promise.reject(new Error("broken"))
        : Promise.resolve(password === "secret");
    },
  });
  const log = (users: ReadonlyMap<string, string>, user: string, password: string, address = "192.0.2.1") =>
    matches(users, { user, password, address });
  return { matches: log, asked, works };
}

describe("matches()", () => {
  test("compares a correct password only once", async () => {
    const { matches, asked } = setUp();
    for (let time = 0; time < 3; time++) expect(await matches(USERS, "alice", "secret")).toBe(true);
    expect(asked).toEqual(["secret $2y$05$"]);
  });

  test.each(["alice", "bob", "eve"])("compares a wrong password of %s only once", async (user) => {
    const { matches, asked } = setUp();
    for (let time = 0; time < 3; time++) expect(await matches(USERS, user, "guess")).toBe(false);
    expect(asked).toHaveLength(1);
  });

  test.each(["alice", "bob", "eve"])(
    "shares one comparison between requests of %s that arrive together",
    async (user) => {
      const { matches, asked } = setUp();
      const all = await Promise.all(Array.from({ length: 40 }, () => matches(USERS, user, "secret")));
      expect([new Set(all), asked.length]).toEqual([new Set([user !== "eve"]), 1]);
    },
  );

  test.each(["secret", "guess"])(
    "refuses an unknown user with %j after a comparison of the highest cost",
    async (password) => {
      const { matches, asked } = setUp();
      expect(await matches(USERS, "eve", password)).toBe(false);
      expect(await matches(USERS, "eve", password)).toBe(false);
      expect(asked).toEqual([`${password} $2b$12$`]);
    },
  );

  test.each<readonly [readonly string[]]>([[["05", "12"]], [["04", "15", "10"]], [["10", "10"]], [["08"]]])(
    "takes the same work for a wrong password of any user, with costs %j",
    async (costs) => {
      const { matches, works } = setUp();
      const users = new Map(costs.map((cost, index) => [`user${index}`, `$2b$${cost}$${"c".repeat(53)}`]));
      for (const user of [...users.keys(), "unknown", ""]) await matches(users, user, "guess");
      expect(works).toEqual(works.map(() => 2 ** Math.max(...costs.map(Number))));
      expect(works).toHaveLength(users.size + 2);
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

  test("compares again for a user that was unknown, with the same password", async () => {
    const { matches } = setUp();
    expect(await matches(USERS, "eve", "secret")).toBe(false);
    expect(await matches(new Map([...USERS, ["eve", `$2b$12$${"e".repeat(53)}`]]), "eve", "secret")).toBe(
      true,
    );
    expect(await matches(USERS, "eve", "secret")).toBe(false);
  });

  test("caches a hundred correct passwords and drops the oldest first, whatever is guessed meanwhile", async () => {
    const { matches, asked } = setUp();
    const users = new Map(
      Array.from({ length: 101 }, (_, each) => [`user${each}`, `$2b$04$${"e".repeat(53)}`]),
    );
    for (const user of users.keys()) await matches(users, user, "secret");
    for (let guess = 0; guess < 2000; guess++) await matches(users, "user100", `guess${guess}`);
    await matches(users, "user100", "secret");
    expect(asked).toHaveLength(2101);
    await matches(users, "user0", "secret");
    expect(asked).toHaveLength(2102);
  });

  test("does not cache a comparison that failed", async () => {
    const { matches, asked } = setUp();
    for (let time = 0; time < 2; time++) {
      await expect(matches(USERS, "alice", "broken")).rejects.toThrow("broken");
    }
    expect(asked).toHaveLength(2);
  });
});

describe("during a flood of guesses", () => {
  test("the right password from another address is compared next but one", async () => {
    const { matches, asked, faults, step } = flooded();
    const right = matches(USERS, { user: "bob", password: "secret", address: "192.0.2.1" });
    for (let time = 0; time < 3; time++) await step();
    expect(await right).toBe(true);
    expect(asked.indexOf("secret")).toBeLessThanOrEqual(2);
    expect([...faults]).toEqual([String(new TooManyLoginsError())]);
  });

  test("the right password from the same address is compared at its second attempt", async () => {
    const { matches, step } = flooded();
    const login = { user: "bob", password: "secret", address: "198.51.100.7" };
    await expect(matches(USERS, login)).rejects.toThrow(TooManyLoginsError);
    for (let time = 0; time < 3; time++) await step();
    const second = matches(USERS, login);
    for (let time = 0; time < 3; time++) await step();
    expect(await second).toBe(true);
  });

  test("a password that was correct before is not compared at all", async () => {
    const { matches, asked, step } = flooded();
    const login = { user: "bob", password: "secret", address: "192.0.2.1" };
    const first = matches(USERS, login);
    for (let time = 0; time < 3; time++) await step();
    await first;
    const count = asked.length;
    expect(await matches(USERS, { ...login, address: "198.51.100.7" })).toBe(true);
    expect(asked).toHaveLength(count);
  });
});

/** Passwords whose comparisons end when the test says so, and the endless flood of an attacker. */
function flooded() {
  const asked: string[] = [];
  const faults = new Set<string>();
  let end: (() => void) | undefined;
  const { matches } = createPasswords({
    compare: (password) => {
      asked.push(password);
      return new Promise((resolve) => (end = () => resolve(password === "secret")));
    },
  });
  let guesses = 0;
  const flood = () => {
    for (let each = 0; each < 100; each++) {
      const login = { user: "bob", password: `guess${guesses++}`, address: "198.51.100.7" };
      matches(USERS, login).catch((error: unknown) => faults.add(String(error)));
    }
  };
  const step = async () => {
    flood();
    end?.();
    await new Promise(setImmediate);
  };
  flood();
  return { matches, asked, faults, step };
}
