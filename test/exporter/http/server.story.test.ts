import { describe, expect, onTestFinished, test } from "vitest";
import { refusal } from "../../../exporter/http/router.ts";
import { TooManyLoginsError } from "../../../exporter/http/passwords.ts";
import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import { createServer, type ServerOptions } from "../../../exporter/http/server.ts";
import { connectRaw } from "../../support/raw-client.ts";
import type { WebConfig } from "../../../exporter/config/web/schema.ts";
import { hashedPassword } from "../../support/https-client.ts";

interface StartOptions extends ServerOptions {
  readonly errors?: unknown[];
  readonly addresses?: number;
}

async function start(
  routes: readonly Route[],
  { errors = [], addresses = 1, ...options }: StartOptions = {},
) {
  const listen = Array.from({ length: addresses }, () => ({ host: "127.0.0.1", port: 0 }));
  const server = createServer(listen, routes, (error) => errors.push(error), options);
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

const page: Route = {
  path: "/",
  methods: ["GET"],
  handle: () => textAnswer(200, "hello\n", { "x-test": "1" }),
};
const metrics: Route = { path: "/metrics", methods: ["GET"], handle: () => textAnswer(200, "a 1\n") };
const healthy: Route = { path: "/-/healthy", methods: ["GET"], handle: () => textAnswer(200, "well\n") };
const reload: Route = {
  path: "/-/reload",
  methods: ["POST", "PUT"],
  handle: () => textAnswer(200, "done\n"),
};
const ALL = [page, metrics, healthy, reload];

const broken: Route = { ...page, handle: () => Promise.reject(new Error("secret detail")) };

/** A route that answers when the test says so. */
function slowRoute(path = "/slow") {
  const [asked, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handle = async () => {
    asked.resolve();
    await finish.promise;
    return textAnswer(200, "late\n");
  };
  const route: Route = { path, methods: ["GET"], handle };
  return { route, asked: asked.promise, finish: finish.resolve };
}

async function send(url: string, target: string, headers: Readonly<Record<string, string>>, method = "GET") {
  const client = await connectRaw(url);
  const lines = Object.entries({ Host: "a", Connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  client.socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`);
  return client.rest();
}

const statusOf = (answer: string) => Number(answer.slice(9, 12));

describe("createServer()", () => {
  test.each([
    ["GET", "/", 200, "hello\n", null],
    ["GET", "/?a=b", 200, "hello\n", null],
    ["HEAD", "/", 200, "", null],
    ["POST", "/", 405, "Method not allowed\n", "GET, HEAD"],
    ["GET", "/-/reload", 405, "Method not allowed\n", "POST, PUT"],
    ["POST", "/-/reload", 200, "done\n", null],
    ["GET", "/nowhere", 404, "Not found\n", null],
  ])("%s %s is %d", async (method, path, status, body, allow) => {
    const server = await start(ALL);
    const response = await fetch(`${server.url()}${path}`, { method });
    expect([response.status, await response.text(), response.headers.get("allow")]).toEqual([
      status,
      body,
      allow,
    ]);
  });

  test.each([
    ["http://exporter/metrics", 200],
    ["http://exporter", 200],
    ["ftp://exporter/metrics", 404],
  ])("the target %s is %i", async (target, status) => {
    expect(statusOf(await send((await start(ALL)).url(), target, {}))).toBe(status);
  });

  test("every answer carries the security headers, and HEAD the headers of GET", async () => {
    const server = await start(ALL);
    for (const path of ["/", "/nowhere"]) {
      const { headers } = await fetch(`${server.url()}${path}`);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    const [got, head] = [await fetch(server.url()), await fetch(server.url(), { method: "HEAD" })];
    for (const name of ["content-length", "content-type", "x-test"])
      expect(head.headers.get(name)).toBe(got.headers.get(name));
  });

  test("a route that throws is answered with a plain 500; onError receives the error", async () => {
    const errors: unknown[] = [];
    const server = await start([broken], { errors });
    const response = await fetch(server.url());
    expect([response.status, await response.text()]).toEqual([500, "Internal server error\n"]);
    expect(errors).toEqual([new Error("secret detail")]);
  });

  test("answers on each address, and does not start if one of them is taken", async () => {
    const server = await start(ALL, { addresses: 3 });
    const urls = server.urls();
    expect([new Set(urls).size, server.url()]).toEqual([3, urls[0]]);
    for (const url of urls) expect(await (await fetch(url)).text()).toBe("hello\n");
    const port = Number(new URL(server.url()).port);
    const addresses = [0, port].map((each) => ({ host: "127.0.0.1", port: each }));
    const second = createServer(addresses, ALL, () => {});
    await expect(second.start()).rejects.toMatchObject({
      message: `Cannot listen on 127.0.0.1:${port}`,
      address: `127.0.0.1:${port}`,
      cause: { code: "EADDRINUSE" },
    });
    await second.stop();
    await expect(fetch(second.url())).rejects.toThrow("Failed to parse URL");
  });

  test("stop() finishes an answer in progress, and closes the connection", async () => {
    const slow = slowRoute();
    const server = await start([slow.route]);
    const url = server.url();
    const answer = fetch(`${url}/slow`);
    await slow.asked;
    const stopped = server.stop();
    slow.finish();
    expect([(await answer).headers.get("connection"), await (await answer).text()]).toEqual([
      "close",
      "late\n",
    ]);
    await stopped;
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });
});

describe("limits", () => {
  test("a request beyond the concurrent ones is a 503 on every address, except that of a probe", async () => {
    const slow = slowRoute();
    const server = await start([slow.route, ...ALL], { maxRequests: 1, addresses: 2 });
    const [first = "", second = ""] = server.urls();
    const held = fetch(`${first}/slow`);
    await slow.asked;
    const refused = await fetch(second);
    expect([refused.status, await refused.text()]).toEqual([
      503,
      "Limit of concurrent requests reached (1), try again later\n",
    ]);
    expect((await fetch(`${second}/-/healthy`)).status).toBe(200);
    slow.finish();
    expect((await held).status).toBe(200);
    expect((await fetch(second)).status).toBe(200);
  });
});

describe("a request from a browser to reload", () => {
  test.each([
    ["its own origin", { Origin: "http://a.example:1", Host: "A.example:1" }, 200],
    ["its own origin behind a proxy with TLS", { Origin: "https://a.example", Host: "a.example" }, 200],
    ["its own origin and the default port", { Origin: "http://a.example", Host: "a.example:80" }, 200],
    ["the same origin", { "Sec-Fetch-Site": "same-origin" }, 200],
    ["a foreign origin", { Origin: "https://evil.example" }, 403],
    ["a foreign origin that ends like its own", { Origin: "http://evil.example@a" }, 403],
    ["another port", { Origin: "http://a:1" }, 403],
    ["an opaque origin", { Origin: "null" }, 403],
    ["another site", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["its own origin, but from another site", { Origin: "http://a", "Sec-Fetch-Site": "cross-site" }, 403],
  ])("with %s", async (_name, headers, status) => {
    const url = (await start(ALL)).url();
    for (const method of ["POST", "PUT"])
      expect(statusOf(await send(url, "/-/reload", { "Content-Length": "0", ...headers }, method))).toBe(
        status,
      );
  });
});

test.each([
  ["/", "exporter.example", 200],
  ["/", "EXPORTER.example:9853", 200],
  ["/", "[::1]:80", 200],
  ["/", "evil.example", 421],
  ["/", "", 421],
  // Orchestrators ask by the address of the container.
  ["/-/healthy", "10.0.0.1:9853", 200],
])("with a list of allowed hosts, %s of Host %j is %d", async (target, Host, status) => {
  const server = await start(ALL, { allowedHosts: ["exporter.example", "[::1]"] });
  expect(statusOf(await send(server.url(), target, { Host }))).toBe(status);
});

test("a login that the machine cannot check is a 500, and is reported", async () => {
  // bcryptjs throws at a text that is no hash; a configuration has none.
  const users = new Map([["alice", "x".repeat(60)]]);
  const config: WebConfig = { tls: undefined, users, headers: new Map() };
  const errors: unknown[] = [];
  const web = { initial: config, isUpToDate: () => true, current: async () => config };
  const server = await start(ALL, { web, errors });
  const authorization = `Basic ${Buffer.from("alice:one").toString("base64")}`;
  for (let time = 0; time < 2; time++)
    expect((await fetch(server.url(), { headers: { authorization } })).status).toBe(500);
  users.set("alice", hashedPassword("one"));
  expect((await fetch(server.url(), { headers: { authorization } })).status).toBe(200);
  expect(errors).toHaveLength(2);
});

const refuses = () => Promise.reject(new TooManyLoginsError());

test("a login beyond those that wait is a 503 that asks to come again", async () => {
  const config = { tls: undefined, users: new Map([["alice", ""]]), headers: new Map<string, string>() };
  const answer = await refusal(
    config,
    { matches: refuses },
    `Basic ${Buffer.from("alice:one").toString("base64")}`,
  );
  expect([answer?.status, answer?.headers["retry-after"]]).toEqual([503, "1"]);
});
