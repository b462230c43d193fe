import { describe, expect, test } from "vitest";
import {
  createLoginQueue,
  MOST_WAITING,
  MOST_WAITING_OF_A_NETWORK,
  TooManyLoginsError,
} from "../../../exporter/http/login-queue.ts";

/** A queue whose comparisons end one by one, when the test says so. */
function setUp() {
  const queue = createLoginQueue();
  const begun: string[] = [];
  const refused: string[] = [];
  let finish: (() => void) | undefined;
  return {
    begun,
    refused,
    login: (name: string, address: string, refusals = 0) => {
      const compare = () => {
        begun.push(name);
        return new Promise<boolean>((resolve) => (finish = () => resolve(true)));
      };
      void queue.run({ address, refusals }, compare).catch((error: unknown) => {
        refused.push(error instanceof TooManyLoginsError ? name : String(error));
      });
    },
    /** Ends the comparison that runs, until none is left. */
    finishAll: async () => {
      for (let count = -1; count !== begun.length;) {
        count = begun.length;
        finish?.();
        // Longer than the chain of promises between two comparisons.
        await new Promise(setImmediate);
      }
    },
  };
}

const ATTACKER = "198.51.100.7";

describe("run()", () => {
  test("lets a login from another network in after the comparison that runs and one more", async () => {
    const { login, begun, refused, finishAll } = setUp();
    for (let guess = 0; guess < 500; guess++) login("guess", ATTACKER);
    login("right", "192.0.2.1");
    for (let guess = 0; guess < 500; guess++) login("guess", ATTACKER);
    await finishAll();
    expect(begun.indexOf("right")).toBeLessThanOrEqual(2);
    expect(refused).not.toContain("right");
    expect(begun).toHaveLength(1 + MOST_WAITING_OF_A_NETWORK + 1);
  });

  test("lets credentials that were refused more often in first, among those of a network", async () => {
    const { login, begun, refused, finishAll } = setUp();
    for (let guess = 0; guess < 50; guess++) login("guess", ATTACKER);
    login("twice refused", ATTACKER, 2);
    login("once refused", ATTACKER, 1);
    for (let guess = 0; guess < 50; guess++) login("guess", ATTACKER);
    await finishAll();
    expect(begun.slice(1, 3)).toEqual(["twice refused", "once refused"]);
    expect(new Set(refused)).toEqual(new Set(["guess"]));
  });

  test("compares in the order of arrival within a network, and in turn between networks", async () => {
    const { login, begun, finishAll } = setUp();
    for (const name of ["a1", "a2", "a3"]) login(name, "192.0.2.1");
    for (const name of ["b1", "b2"]) login(name, "192.0.2.2");
    await finishAll();
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "b2"]);
  });

  test("bounds what waits in all networks, and then refuses those of the network with most", async () => {
    const { login, begun, refused, finishAll } = setUp();
    login("first", "192.0.2.1");
    for (let network = 0; network < 8; network++) {
      for (let each = 0; each < 4; each++) login(`network ${network}`, `10.0.0.${network}`);
    }
    expect(refused).toEqual([]);
    login("right", "192.0.2.2");
    await finishAll();
    expect(begun).toHaveLength(1 + MOST_WAITING);
    expect(begun).toContain("right");
    expect(refused).toEqual(["network 7"]);
  });

  test.each([
    ["2001:db8::1", "2001:db8:0:0:ffff::2"],
    ["2001:db8:0:0:1::", "2001:db8::"],
    ["fe80::1", "fe80:0:0:0:2:3:4:5"],
    ["::1", "::2"],
  ])("counts %s and %s as one network", async (one, other) => {
    const { login, refused, finishAll } = setUp();
    login("first", "192.0.2.1");
    for (let each = 0; each < MOST_WAITING_OF_A_NETWORK; each++) login("one", one);
    login("other", other);
    await finishAll();
    expect(refused).toEqual(["other"]);
  });

  test.each([
    ["192.0.2.1", "192.0.2.2"],
    ["::ffff:192.0.2.1", "::ffff:192.0.2.2"],
    ["2001:db8::1", "2001:db8:0:1::1"],
    ["2001:db8:1::", "2001:db8:2::"],
  ])("counts %s and %s as two networks", async (one, other) => {
    const { login, refused, finishAll } = setUp();
    login("first", "192.0.2.9");
    for (let each = 0; each < MOST_WAITING_OF_A_NETWORK; each++) login("one", one);
    login("other", other);
    await finishAll();
    expect(refused).toEqual([]);
  });

  test("goes on after a comparison that fails", async () => {
    const queue = createLoginQueue();
    const failed = queue.run({ address: "a", refusals: 0 }, () => Promise.reject(new Error("stopped")));
    const next = queue.run({ address: "a", refusals: 0 }, () => Promise.resolve(true));
    await expect(failed).rejects.toThrow("stopped");
    expect(await next).toBe(true);
  });
});
