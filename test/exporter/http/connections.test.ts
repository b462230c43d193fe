import { once } from "node:events";
import { connect, createServer as createSocketServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { WebConfig, WebTls } from "../../../exporter/config/web/web-config.ts";
import type { DropReason } from "../../../exporter/http/connections.ts";
import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { createAuthority } from "../../support/certificates.ts";
import { hashedPassword } from "../../support/hashed-password.ts";
import { askOverTls } from "../../support/https-client.ts";
import { connectRaw, type RawClient } from "../../support/raw-client.ts";
import { until } from "../../support/until.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const GET_SLOW = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n";
const authority = createAuthority();
const TLS: WebTls = { options: authority.issue("127.0.0.1"), clientAuth: "none", allowedSans: undefined };

interface Setting {
  readonly connections: number;
  readonly tls?: WebTls;
  readonly users?: ReadonlyMap<string, string>;
  readonly maxRequests?: number;
}

async function start({ connections, tls, users = new Map(), maxRequests = 40 }: Setting) {
  const drops: DropReason[] = [];
  const release = Promise.withResolvers<void>();
  let slow = 0;
  const routes: readonly Route[] = [
    { path: "/", methods: ["GET"], handle: () => textAnswer(200, "hello\n") },
    {
      path: "/slow",
      methods: ["GET"],
      handle: async () => {
        slow++;
        await release.promise;
        return textAnswer(200, "late\n");
      },
    },
  ];
  const config: WebConfig = { tls, users, headers: new Map() };
  const web = { isSecure: tls !== undefined, isUpToDate: () => true, current: () => Promise.resolve(config) };
  const server = createServer([{ host: "127.0.0.1", port: 0 }], routes, () => {}, {
    web,
    maxRequests,
    onDrop: (reason) => drops.push(reason),
    // So long that the test times out if another limit closes a connection.
    limits: { connections, requestMs: 120_000, keepAliveMs: 120_000, stallMs: 120_000, answerMs: 120_000 },
  });
  await server.start();
  onTestFinished(() => server.stop());
  onTestFinished(() => release.resolve());
  const slowAnswers = (count: number) =>
    until(
      `${count} slow answers`,
      () => slow,
      (begun) => begun === count,
    );
  return { url: server.url(), drops, release: () => release.resolve(), slowAnswers };
}

/** Waits for the answer to a request over a connection that stays open. */
async function ask({ socket }: RawClient, request = GET): Promise<string> {
  socket.write(request);
  const [chunk]: unknown[] = await once(socket, "data");
  return String(chunk);
}

describe("at the limit of connections, a new one", () => {
  test("replaces the one that has been idle longest, and is served", async () => {
    const { url, drops } = await start({ connections: 2 });
    const [first, second] = [await connectRaw(url), await connectRaw(url)];
    // The order of arrival at the server is that of the first answers.
    await ask(first);
    await ask(second);
    const third = await connectRaw(url);
    expect(await first.rest()).toBe("");
    expect(await ask(third)).toContain("200 OK");
    expect(await ask(second)).toContain("200 OK");
    expect(drops).toEqual(["idle"]);
  });

  test("spares a connection whose last answer is more recent", async () => {
    const { url, drops } = await start({ connections: 2 });
    const [first, second] = [await connectRaw(url), await connectRaw(url)];
    await ask(first);
    await ask(second);
    await ask(first);
    const third = await connectRaw(url);
    expect(await second.rest()).toBe("");
    expect(await ask(first)).toContain("200 OK");
    expect(await ask(third)).toContain("200 OK");
    expect(drops).toEqual(["idle"]);
  });

  test("spares a connection whose answer is in progress, however old it is", async () => {
    const { url, drops, release, slowAnswers } = await start({ connections: 2 });
    const first = await connectRaw(url);
    first.socket.write(GET_SLOW);
    await slowAnswers(1);
    const second = await connectRaw(url);
    await ask(second);
    const third = await connectRaw(url);
    expect(await second.rest()).toBe("");
    expect(await ask(third)).toContain("200 OK");
    release();
    const [chunk]: unknown[] = await once(first.socket, "data");
    expect(String(chunk)).toContain("200 OK");
    expect(drops).toEqual(["idle"]);
  });

  test("replaces one that has not sent a whole request", async () => {
    const { url, drops } = await start({ connections: 2 });
    const [first, second] = [await connectRaw(url), await connectRaw(url)];
    await ask(first);
    second.socket.write("GET / HTTP/1.1\r\n");
    await ask(first);
    const third = await connectRaw(url);
    expect(await second.rest()).toBe("");
    expect(await ask(third)).toContain("200 OK");
    expect(drops).toEqual(["idle"]);
  });

  test("is closed if none is idle", async () => {
    const { url, drops, release, slowAnswers } = await start({ connections: 2 });
    const clients = [await connectRaw(url), await connectRaw(url)];
    for (const { socket } of clients) socket.write(GET_SLOW);
    await slowAnswers(2);
    const third = await connectRaw(url);
    expect(await third.rest()).toBe("");
    expect(drops).toEqual(["limit"]);
    release();
    for (const { socket } of clients) await once(socket, "data");
    expect(await ask(await connectRaw(url))).toContain("200 OK");
  });

  test("replaces a TCP connection without a TLS handshake", async () => {
    const { url, drops } = await start({ connections: 2, tls: TLS });
    const [first, second] = [await connectRaw(url), await connectRaw(url)];
    for (let time = 0; time < 2; time++) {
      expect((await askOverTls(url, { ca: authority.cert })).status).toBe(200);
    }
    expect(await first.rest()).toBe("");
    expect(drops.length).toBeGreaterThanOrEqual(1);
    second.socket.destroy();
  });
});

test("many idle connections do not keep a scrape out", async () => {
  const { url, drops } = await start({ connections: 20 });
  const idle = [];
  for (let each = 0; each < 60; each++) idle.push(await connectRaw(url));
  for (let each = 0; each < 10; each++) {
    expect(await ask(await connectRaw(url))).toContain("200 OK");
  }
  expect(new Set(drops)).toEqual(new Set(["idle"]));
  expect(drops).toHaveLength(50);
});

describe("a client that is refused is disconnected", () => {
  test("without a login", async () => {
    const { url } = await start({ connections: 20, users: new Map([["alice", hashedPassword("one")]]) });
    const client = await connectRaw(url);
    client.socket.write(GET);
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 401 [^]*\r\nconnection: close\r\n/i);
  });

  test("because too many requests are answered", async () => {
    const { url, slowAnswers } = await start({ connections: 20, maxRequests: 1 });
    (await connectRaw(url)).socket.write(GET_SLOW);
    await slowAnswers(1);
    const client = await connectRaw(url);
    client.socket.write(GET);
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 503 [^]*\r\nconnection: close\r\n/i);
  });
});

test("connections of one client port to two addresses are counted apart", async () => {
  const drops: DropReason[] = [];
  const route: Route = { path: "/", methods: ["GET"], handle: () => textAnswer(200, "hello\n") };
  const listen = ["127.0.0.1", "127.0.0.2"].map((host) => ({ host, port: 0 }));
  const server = createServer(listen, [route], () => {}, {
    onDrop: (reason) => drops.push(reason),
    limits: { connections: 2 },
  });
  await server.start();
  onTestFinished(() => server.stop());
  const [first, second] = server.urls().map((url) => Number(new URL(url).port));
  const from = { localAddress: "127.0.0.1", localPort: await unusedPort() };
  const one = connect({ host: "127.0.0.1", port: first ?? 0, ...from });
  await once(one, "connect");
  const closed = once(one.resume(), "close");
  const other = connect({ host: "127.0.0.2", port: second ?? 0, ...from });
  onTestFinished(() => void other.destroy());
  await once(other, "connect");
  expect(drops).toEqual([]);
  await connectRaw(server.url());
  await closed;
  expect(drops).toEqual(["idle"]);
});

async function unusedPort(): Promise<number> {
  const server = createSocketServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
