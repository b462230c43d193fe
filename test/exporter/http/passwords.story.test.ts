import { expect, onTestFinished, test } from "vitest";
import { createPasswords, TooManyLoginsError } from "../../../exporter/http/passwords.ts";
import { hashedPassword } from "../../support/hashed-password.ts";

function start() {
  const passwords = createPasswords();
  passwords.start();
  onTestFinished(() => passwords.stop());
  return passwords;
}

const [ONE, TWO] = [hashedPassword("pässword ∞"), hashedPassword("two")];
const USERS = new Map([
  ["a", ONE],
  ["b", ONE.replace("$2b", "$2y")],
  ["a:b", TWO.replace("$2b", "$2a")],
]);

test.each([
  ["a", "pässword ∞", true],
  ["b", "pässword ∞", true],
  ["a:b", "two", true],
  ["a", "two", false],
  ["a", "", false],
  ["b", "password ∞", false],
  ["eve", "two", false],
  ["", "", false],
])("matches() of user %j and password %j is %s, twice", async (user, password, expected) => {
  const passwords = start();
  expect(await passwords.matches(USERS, user, password)).toBe(expected);
  expect(await passwords.matches(USERS, user, password)).toBe(expected);
});

test("matches() compares no correct login twice, until its hash changes", async () => {
  const passwords = start();
  expect(await passwords.matches(USERS, "a", "pässword ∞")).toBe(true);
  await passwords.stop();
  // Only a comparison would start a thread, and end with it.
  const later = [ONE, TWO].map((hash) => passwords.matches(new Map([["a", hash]]), "a", "pässword ∞"));
  const outcomes = await Promise.allSettled([...later, passwords.stop()]);
  expect(outcomes).toMatchObject([
    { value: true },
    { reason: new Error("The exporter is stopping") },
    { status: "fulfilled" },
  ]);
});

test("matches() refuses the logins beyond those that wait, and takes others when these are compared", async () => {
  const passwords = start();
  const guesses = Array.from({ length: 40 }, (_, each) => passwords.matches(USERS, "a", `guess ${each}`));
  const outcomes = await Promise.allSettled(guesses);
  const refused = outcomes.filter(({ status }) => status === "rejected");
  expect(refused).toEqual(
    Array.from({ length: 8 }, () => ({ status: "rejected", reason: new TooManyLoginsError() })),
  );
  expect(await passwords.matches(USERS, "a", "pässword ∞")).toBe(true);
});

test("a thread that fails fails its logins only; the next login has another one", async () => {
  const passwords = start();
  // bcryptjs throws at a text that is no hash; a configuration has none.
  const broken = new Map([["a", "x".repeat(60)]]);
  await expect(passwords.matches(broken, "a", "one")).rejects.toThrow("Invalid salt version");
  expect(await passwords.matches(USERS, "a:b", "two")).toBe(true);
});
