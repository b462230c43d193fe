import { readFileSync } from "node:fs";
import { get } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createStatusRoutes } from "../../../exporter/http/status-routes.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { key, overviewOf, query } from "../status/page/page-reader.ts";
import { createPasswords, TooManyLoginsError } from "../../../exporter/http/passwords.ts";
import { hashedPassword } from "../../support/https-client.ts";

const PAIR = { model: "acme/one", app: "Chat Bot", credits: 1 };
const OVERVIEW = overviewOf({
  keys: [key("billing"), key("a/b")],
  queries: [query("day", { credits: 1, pairs: [PAIR] })],
});

async function start(overview = () => OVERVIEW) {
  const errors: unknown[] = [];
  const routes = createStatusRoutes(overview, "/metrics");
  const server = createServer([{ host: "127.0.0.1", port: 0 }], routes, (error) => errors.push(error));
  await server.start();
  onTestFinished(() => server.stop());
  return { url: server.url(), errors };
}

/** The raw bytes of the answer; `fetch` would decode them. */
function ask(url: string, encoding = "identity") {
  return new Promise<{
    body: Buffer;
    headers: Readonly<Record<string, unknown>>;
    status: number | undefined;
  }>((resolve, reject) => {
    get(url, { headers: { "accept-encoding": encoding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ body: Buffer.concat(chunks), headers: response.headers, status: response.statusCode }),
      );
    }).on("error", reject);
  });
}

test("a page that cannot be drawn is an error", async () => {
  const { url, errors } = await start(() => {
    throw new Error("broken");
  });
  expect([(await ask(url)).status, errors]).toEqual([500, [new Error("broken")]]);
});

const [HTML, JSON_TYPE, TEXT] = ["text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"];

test.each([
  ["/?team=payments&sort=month", 200, HTML],
  ["/?utm=1", 400, TEXT],
  ["/?page=0", 400, TEXT],
  ["/api/v1/status", 200, JSON_TYPE],
  ["/api/v1/status?team=payments&page=2", 200, JSON_TYPE],
  ["/api/v1/status?team=a&team=b", 400, TEXT],
  ["/keys/billing", 200, HTML],
  ["/keys/a%2Fb?x=1", 200, HTML],
  ["/keys/%3Cscript%3E", 404, HTML],
  ["/account", 200, HTML],
  ["/exporter", 200, HTML],
  ["/models/acme%2Fone", 200, HTML],
  ["/models/%E0%A4%A", 400, TEXT],
  ["/apps", 200, HTML],
  ["/apps/Chat%20Bot", 200, HTML],
  ["/keys", 404, TEXT],
])("%s is answered with %i, %s", async (path, status, type) => {
  const { url } = await start();
  const answer = await ask(url + path);
  expect([answer.status, answer.headers["content-type"]]).toEqual([status, type]);
});

test("the schema of the JSON is the one of the documentation", async () => {
  const { url } = await start();
  const answer = await ask(`${url}/api/v1/status/schema`);
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/schema+json"]);
  expect(answer.body.toString()).toBe(readFileSync("docs/status-schema.json", "utf8"));
});

function startPasswords() {
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
  const passwords = startPasswords();
  expect(await passwords.matches(USERS, user, password)).toBe(expected);
  expect(await passwords.matches(USERS, user, password)).toBe(expected);
});

test("matches() compares no correct login twice, until its hash changes", async () => {
  const passwords = startPasswords();
  expect(await passwords.matches(USERS, "a", "pässword ∞")).toBe(true);
  await passwords.stop();
  // Only a comparison would startPasswords a thread, and end with it.
  const later = [ONE, TWO].map((hash) => passwords.matches(new Map([["a", hash]]), "a", "pässword ∞"));
  const outcomes = await Promise.allSettled([...later, passwords.stop()]);
  expect(outcomes).toMatchObject([
    { value: true },
    { reason: new Error("The exporter is stopping") },
    { status: "fulfilled" },
  ]);
});

test("matches() refuses the logins beyond those that wait, and takes others when these are compared", async () => {
  const passwords = startPasswords();
  const guesses = Array.from({ length: 40 }, (_, each) => passwords.matches(USERS, "a", `guess ${each}`));
  const outcomes = await Promise.allSettled(guesses);
  const refused = outcomes.filter(({ status }) => status === "rejected");
  expect(refused).toEqual(
    Array.from({ length: 8 }, () => ({ status: "rejected", reason: new TooManyLoginsError() })),
  );
  expect(await passwords.matches(USERS, "a", "pässword ∞")).toBe(true);
});

test("a thread that fails fails its logins only; the next login has another one", async () => {
  const passwords = startPasswords();
  // bcryptjs throws at a text that is no hash; a configuration has none.
  const broken = new Map([["a", "x".repeat(60)]]);
  await expect(passwords.matches(broken, "a", "one")).rejects.toThrow("Invalid salt version");
  expect(await passwords.matches(USERS, "a:b", "two")).toBe(true);
});
