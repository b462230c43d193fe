import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { connectRaw } from "../../support/raw-client.ts";
import { until } from "../../support/until.ts";

async function start(allowedHosts: readonly string[] = []) {
  let reloads = 0;
  const reload = () => {
    reloads++;
    return textAnswer(200, "reloaded\n");
  };
  const routes: readonly Route[] = [
    { path: "/-/reload", methods: ["POST", "PUT"], handle: reload },
    { path: "/-/healthy", methods: ["GET"], handle: () => textAnswer(200, "healthy\n") },
    { path: "/-/ready", methods: ["GET"], handle: () => textAnswer(200, "ready\n") },
    { path: "/", methods: ["GET"], handle: () => textAnswer(200, "page\n") },
  ];
  const errors: unknown[] = [];
  const server = createServer([{ host: "127.0.0.1", port: 0 }], routes, (error) => errors.push(error), {
    allowedHosts,
    limits: { requestMs: 1000, checkMs: 20 },
  });
  await server.start();
  onTestFinished(() => server.stop());
  const url = server.url();
  return { url, host: new URL(url).host, reloads: () => reloads, errors };
}

/** Sends bytes, and returns everything that the server sends until it closes the connection. */
async function exchange(url: string, bytes: string, { end = false } = {}): Promise<string> {
  const client = await connectRaw(url);
  if (end) client.socket.end(bytes);
  else client.socket.write(bytes);
  return client.rest();
}

function post(
  headers: Readonly<Record<string, string>>,
  { method = "POST", target = "/-/reload", body = "" } = {},
) {
  const lines = Object.entries({ Connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

const status = (answer: string) => Number(answer.slice(9, 12));

describe("a request from a browser", () => {
  test.each([
    ["no header of a browser", {}],
    ["its own origin", { Origin: "http://HOST" }],
    ["its own origin behind a proxy with TLS", { Origin: "https://HOST" }],
    ["its own origin and a host in upper case", { Origin: "http://a.example:1", Host: "A.example:1" }],
    ["its own origin and the default port", { Origin: "http://a.example", Host: "a.example:80" }],
    ["the same origin", { "Sec-Fetch-Site": "same-origin" }],
    ["the address bar", { "Sec-Fetch-Site": "none" }],
  ])("with %s reloads", async (_name, headers) => {
    const { url, host, reloads } = await start();
    const sent = Object.fromEntries(
      Object.entries({ Host: host, "Content-Length": "0", ...headers }).map(([name, value]) => [
        name,
        value.replace("HOST", host),
      ]),
    );
    for (const method of ["POST", "PUT"])
      expect(status(await exchange(url, post(sent, { method })))).toBe(200);
    expect(reloads()).toBe(2);
  });

  test.each([
    ["a foreign origin", { Origin: "https://evil.example" }],
    ["a foreign origin that begins like its own", { Origin: "http://HOST.evil.example" }],
    ["a foreign origin that ends like its own", { Origin: "http://evil.example@HOST" }],
    ["another port", { Origin: "http://127.0.0.1:1" }],
    ["an opaque origin", { Origin: "null" }],
    ["an empty origin", { Origin: "" }],
    ["an origin that is no URL", { Origin: "HOST" }],
    ["two origins", { Origin: "http://HOST, http://evil.example" }],
    ["two headers of an origin", { Origin: "http://HOST", origin: "http://evil.example" }],
    ["another site", { "Sec-Fetch-Site": "cross-site" }],
    ["another host of its site", { "Sec-Fetch-Site": "same-site" }],
    ["an unknown relation", { "Sec-Fetch-Site": "unknown" }],
    ["its own origin, but from another site", { Origin: "http://HOST", "Sec-Fetch-Site": "cross-site" }],
    ["another site and the same", { "Sec-Fetch-Site": "same-origin", "sec-fetch-site": "cross-site" }],
  ])("with %s is refused", async (_name, headers) => {
    const { url, host, reloads } = await start();
    const sent = Object.fromEntries(
      Object.entries({ Host: host, "Content-Length": "0", ...headers }).map(([name, value]) => [
        name,
        value.replace("HOST", host),
      ]),
    );
    for (const method of ["POST", "PUT"])
      expect(status(await exchange(url, post(sent, { method })))).toBe(403);
    expect(reloads()).toBe(0);
  });
});

describe("a list of allowed hosts", () => {
  test.each([
    ["exporter.example", 200],
    ["exporter.example:9853", 200],
    ["EXPORTER.example", 200],
    ["[::1]:80", 200],
    ["evil.example", 421],
    ["exporter.example.evil.example", 421],
    ["exporter.example@evil.example", 421],
    ["127.0.0.1", 421],
    ["", 421],
    ["a b", 421],
  ])("with Host %j is %d", async (host, expected) => {
    const { url, reloads } = await start(["exporter.example", "[::1]"]);
    expect(status(await exchange(url, post({ Host: host, "Content-Length": "0" })))).toBe(expected);
    expect(reloads()).toBe(expected === 200 ? 1 : 0);
  });
});

test.each<[string, string, number]>([
  ["/", "evil.example", 421],
  ["/", "exporter.example", 200],
  ["/nowhere", "evil.example", 421],
  // Orchestrators ask by the address of the container.
  ["/-/healthy", "10.0.0.1:9853", 200],
  ["/-/ready", "10.0.0.1:9853", 200],
])("with a list of allowed hosts, GET %s with Host %s is %d", async (target, host, expected) => {
  const { url } = await start(["exporter.example"]);
  expect(status(await exchange(url, post({ Host: host }, { method: "GET", target })))).toBe(expected);
});

test("two hosts are refused, whichever comes first", async () => {
  const { url } = await start(["exporter.example"]);
  expect(status(await exchange(url, twice("exporter.example", "evil.example")))).toBe(421);
  expect(status(await exchange(url, twice("evil.example", "exporter.example")))).toBe(421);
});

describe("a request that is not whole does not reload:", () => {
  test.each<[string, string]>([
    [
      "an unknown transfer encoding",
      post({ Host: "a", "Transfer-Encoding": "xchunked" }, { body: "0\r\n\r\n" }),
    ],
    [
      "a transfer encoding before another",
      post({ Host: "a", "Transfer-Encoding": "chunked, x" }, { body: "0\r\n\r\n" }),
    ],
    [
      "a transfer encoding and a length",
      post({ Host: "a", "Transfer-Encoding": "chunked", "Content-Length": "5" }, { body: "0\r\n\r\n" }),
    ],
    ["a chunk without a length", post({ Host: "a", "Transfer-Encoding": "chunked" }, { body: "zz\r\n\r\n" })],
    [
      "a chunk that is too short",
      post({ Host: "a", "Transfer-Encoding": "chunked" }, { body: "5\r\nab\r\n0\r\n\r\n" }),
    ],
    ["a length that is no number", post({ Host: "a", "Content-Length": "5x" }, { body: "hello" })],
    ["a negative length", post({ Host: "a", "Content-Length": "-1" })],
    ["two lengths", post({ Host: "a", "Content-Length": "1", "content-length": "2" }, { body: "ab" })],
    [
      "an expectation that the server does not know",
      post({ Host: "a", Expect: "200-ok", "Content-Length": "0" }),
    ],
    ["two hosts", post({ Host: "a", host: "b", "Content-Length": "0" })],
    ["no host", post({ "Content-Length": "0" })],
  ])("%s", async (_name, bytes) => {
    const { url, reloads, errors } = await start();
    expect(status(await exchange(url, bytes))).toBeGreaterThanOrEqual(400);
    expect([reloads(), errors]).toEqual([0, []]);
  });

  test.each<[string, string]>([
    ["a length beyond the body", post({ Host: "a", "Content-Length": "5" }, { body: "hell" })],
    ["an expectation, without the body", post({ Host: "a", Expect: "100-continue", "Content-Length": "5" })],
    [
      "chunks without the last one",
      post({ Host: "a", "Transfer-Encoding": "chunked" }, { body: "2\r\nab\r\n" }),
    ],
    [
      "a last chunk without its end",
      post({ Host: "a", "Transfer-Encoding": "chunked" }, { body: "2\r\nab\r\n0\r\n" }),
    ],
  ])("%s, when the client waits or disconnects", async (_name, bytes) => {
    const { url, reloads, errors } = await start();
    for (const end of [false, true]) expect(await exchange(url, bytes, { end })).not.toContain(" 200 ");
    const client = await connectRaw(url);
    client.socket.write(bytes);
    client.socket.destroy();
    await client.rest();
    // A request that was whole is answered, so the earlier ones were judged before.
    expect(status(await exchange(url, post({ Host: "a", "Content-Length": "0" })))).toBe(200);
    expect([reloads(), errors]).toEqual([1, []]);
  });

  test.each([
    ["a declared body", post({ Host: "a", "Content-Length": "100000000" }, { body: "x".repeat(100_000) })],
    [
      "chunks",
      post({ Host: "a", "Transfer-Encoding": "chunked" }, { body: `20000\r\n${"x".repeat(0x20000)}\r\n` }),
    ],
  ])("%s beyond the limit", async (_name, bytes) => {
    const { url, reloads } = await start();
    // The answer may be lost when the connection closes while the client still sends.
    expect(await exchange(url, bytes)).toMatch(/^(?:HTTP\/1\.1 413 |$)/);
    expect(reloads()).toBe(0);
  });
});

test.each<[string, string]>([
  ["without a body", post({ Host: "a" })],
  ["with a body", post({ Host: "a", "Content-Length": "5" }, { body: "hello" })],
  ["with chunks", post({ Host: "a", "Transfer-Encoding": "chunked" }, { body: "2\r\nab\r\n0\r\n\r\n" })],
  [
    "with the expectation of a 100",
    post({ Host: "a", Expect: "100-continue", "Content-Length": "2" }, { body: "ab" }),
  ],
])("a whole request %s reloads", async (_name, bytes) => {
  const { url, reloads } = await start();
  expect(await exchange(url, bytes)).toMatch(/^HTTP\/1\.1 (?:100 Continue\r\n\r\nHTTP\/1\.1 )?200 /);
  expect(reloads()).toBe(1);
});

test("the reload waits for the rest of the request", async () => {
  const { url, reloads } = await start();
  const client = await connectRaw(url);
  client.socket.write(post({ Host: "a", Expect: "100-continue", "Content-Length": "2" }));
  const [continued]: unknown[] = await once(client.socket, "data");
  expect([String(continued), reloads()]).toEqual(["HTTP/1.1 100 Continue\r\n\r\n", 0]);
  client.socket.write("ab");
  await until("the reload", reloads, (count) => count === 1);
});

test.each(["GET", "HEAD", "DELETE", "OPTIONS", "PATCH"])("%s does not reload", async (method) => {
  const { url, reloads } = await start();
  expect(status(await exchange(url, post({ Host: "a" }, { method })))).toBe(405);
  expect(reloads()).toBe(0);
});

function twice(first: string, second: string): string {
  return post({ Host: first, host: second }, { method: "GET", target: "/" });
}
