import { once } from "node:events";
import { createServer as createSocketServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import type { WebConfig } from "../../../exporter/config/web/web-config.ts";
import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import { createServer, type ListenAddress, type ServerOptions } from "../../../exporter/http/server.ts";
import { createAuthority } from "../../support/certificates.ts";
import { askOverTls } from "../../support/https-client.ts";
import { connectRaw } from "../../support/raw-client.ts";

const page: Route = { path: "/", methods: ["GET"], handle: () => textAnswer(200, "hello\n") };
const metrics: Route = { path: "/metrics", methods: ["GET"], handle: () => textAnswer(200, "a 1\n") };
const ANY: ListenAddress = { host: "127.0.0.1", port: 0 };

async function start(count: number, options: ServerOptions = {}, routes: readonly Route[] = [page, metrics]) {
  const server = createServer(
    Array.from({ length: count }, () => ANY),
    routes,
    () => {},
    options,
  );
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

async function isOpen(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

describe("a server on several addresses", () => {
  test("answers on each of them", async () => {
    const server = await start(3);
    const urls = server.urls();
    expect(new Set(urls).size).toBe(3);
    expect(server.url()).toBe(urls[0]);
    const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
    expect(texts).toEqual(["hello\n", "hello\n", "hello\n"]);
  });

  test("stops on each of them", async () => {
    const server = await start(3);
    await server.stop();
    expect(await Promise.all(server.urls().map(isOpen))).toEqual([false, false, false]);
  });

  test("finishes an answer in progress on a further address", async () => {
    const [asked, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Route = {
      path: "/",
      methods: ["GET"],
      handle: async () => {
        asked.resolve();
        await finish.promise;
        return textAnswer(200, "late\n");
      },
    };
    const server = await start(2, {}, [slow]);
    const text = fetch(server.urls()[1] ?? "").then((answer) => answer.text());
    await asked.promise;
    const stopped = server.stop();
    finish.resolve();
    await expect(text).resolves.toBe("late\n");
    await stopped;
  });

  test.each([0, 1, 2])("does not start if address %i is taken, and leaves none open", async (taken) => {
    const holder = createSocketServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    onTestFinished(() => void holder.close());
    const held = holder.address();
    const port = typeof held === "object" && held ? held.port : 0;
    const addresses = [0, 1, 2].map((index) => (index === taken ? { ...ANY, port } : ANY));
    const server = createServer(addresses, [page], () => {});
    await expect(server.start()).rejects.toMatchObject({
      address: `127.0.0.1:${port}`,
      cause: { code: "EADDRINUSE" },
    });
    const opened = server.urls().filter((url) => url !== "");
    expect(opened).toHaveLength(taken);
    await server.stop();
    expect(await Promise.all(opened.map(isOpen))).toEqual(opened.map(() => false));
  });

  test("disconnects a client on each of them that sends nothing", async () => {
    const server = await start(2, { limits: { requestMs: 100, checkMs: 20 } });
    for (const url of server.urls()) {
      const client = await connectRaw(url);
      expect(await client.rest()).toMatch(/^(HTTP\/1\.1 408 |$)/);
    }
  });

  test("shares the limit of concurrent requests", async () => {
    const [asked, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Route = {
      path: "/",
      methods: ["GET"],
      handle: async () => {
        asked.resolve();
        await finish.promise;
        return textAnswer(200, "late\n");
      },
    };
    const server = await start(2, { maxRequests: 1 }, [slow]);
    const [first = "", second = ""] = server.urls();
    const held = fetch(first);
    await asked.promise;
    expect((await fetch(second)).status).toBe(503);
    finish.resolve();
    expect((await held).status).toBe(200);
  });

  test("speaks TLS on each of them", async () => {
    const authority = createAuthority();
    const config: WebConfig = {
      tls: { options: authority.issue("127.0.0.1"), clientAuth: "none", allowedSans: undefined },
      users: new Map(),
      headers: new Map(),
    };
    const web = { isSecure: true, isUpToDate: () => true, current: () => Promise.resolve(config) };
    const server = await start(2, { web });
    for (const url of server.urls()) {
      expect(url).toMatch(/^https:/);
      expect((await askOverTls(url, { ca: authority.cert })).body).toBe("hello\n");
    }
  });
});

async function statusOf(target: string, host = "exporter", allowedHosts: readonly string[] = []) {
  const server = await start(1, { allowedHosts });
  const client = await connectRaw(server.url());
  client.socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  return (await client.rest()).slice(0, 12);
}

describe("a request whose target is a whole URL", () => {
  test.each([
    ["http://exporter/metrics", 200],
    ["HTTP://exporter:9853/metrics", 200],
    ["https://exporter/metrics?a=/b", 200],
    ["http://exporter/metrics?http://a/b", 200],
    ["http://exporter", 200],
    ["http://exporter?a=b", 200],
    ["http://exporter/", 200],
    ["http://[::1]:9853/metrics", 200],
    ["http://user@exporter/metrics", 200],
    ["http://exporter/nowhere", 404],
    ["http://exporter//metrics", 404],
    ["ftp://exporter/metrics", 404],
    ["/http://exporter/metrics", 404],
  ])("%s: %i", async (target, status) => {
    expect(await statusOf(target)).toBe(`HTTP/1.1 ${status}`);
  });

  test.each([
    ["http://exporter/metrics", "exporter", 200],
    ["http://exporter:9853/metrics", "exporter:9853", 200],
    ["http://evil/metrics", "exporter", 421],
    ["http://exporter/metrics", "evil", 421],
    ["http://exporter@evil/metrics", "exporter", 421],
    ["http://evil/-/healthy", "evil", 404],
  ])("%s with Host %s of an allowed host: %i", async (target, host, status) => {
    expect(await statusOf(target, host, ["exporter"])).toBe(`HTTP/1.1 ${status}`);
  });
});
