import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { connectRaw } from "../../support/raw-client.ts";
import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import { createServer, type Server } from "../../../exporter/http/server.ts";

const running: Server[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

async function start(routes: readonly Route[], errors: unknown[] = []): Promise<Server> {
  const server = createServer([{ host: "127.0.0.1", port: 0 }], routes, (error) => errors.push(error));
  await server.start();
  running.push(server);
  return server;
}

const page: Route = {
  path: "/",
  methods: ["GET"],
  handle: () => textAnswer(200, "hello\n", { "x-test": "1" }),
};
const action: Route = { path: "/-/act", methods: ["POST"], handle: () => textAnswer(200, "done\n") };
const broken: Route = {
  path: "/broken",
  methods: ["GET"],
  handle: () => Promise.reject(new Error("secret detail")),
};

describe("createServer()", () => {
  test.each([
    ["GET", "/", 200, "hello\n", null],
    ["GET", "/?a=b", 200, "hello\n", null],
    ["HEAD", "/", 200, "", null],
    ["POST", "/", 405, "Method not allowed\n", "GET, HEAD"],
    ["DELETE", "/", 405, "Method not allowed\n", "GET, HEAD"],
    ["GET", "/-/act", 405, "Method not allowed\n", "POST"],
    ["HEAD", "/-/act", 405, "", "POST"],
    ["POST", "/-/act", 200, "done\n", null],
    ["GET", "/nowhere", 404, "Not found\n", null],
    ["GET", "//", 404, "Not found\n", null],
    ["GET", "/..%2f", 404, "Not found\n", null],
  ])("%s %s is %d", async (method, path, status, body, allow) => {
    const server = await start([page, action]);
    const response = await fetch(`${server.url()}${path}`, { method });
    expect([response.status, await response.text(), response.headers.get("allow")]).toEqual([
      status,
      body,
      allow,
    ]);
  });

  test("HEAD has the headers of GET", async () => {
    const server = await start([page]);
    const headers = async (method: string) => {
      const { headers: all } = await fetch(server.url(), { method });
      return ["content-length", "content-type", "x-test"].map((name) => all.get(name));
    };
    expect(await headers("HEAD")).toEqual(await headers("GET"));
    expect((await headers("HEAD"))[0]).toBe("6");
  });

  test("every answer carries the security headers", async () => {
    const server = await start([page]);
    for (const path of ["/", "/nowhere"]) {
      const { headers } = await fetch(`${server.url()}${path}`);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  test("a route that throws is answered with a plain 500; onError receives the error", async () => {
    const errors: unknown[] = [];
    const server = await start([broken], errors);
    const response = await fetch(`${server.url()}/broken`);
    expect([response.status, await response.text()]).toEqual([500, "Internal server error\n"]);
    expect(errors).toEqual([new Error("secret detail")]);
  });

  test("headers over the size limit are refused with 431", async () => {
    const server = await start([page]);
    const { port } = new URL(server.url());
    const status = await new Promise<number | undefined>((resolve, reject) => {
      httpRequest({ host: "127.0.0.1", port, headers: { large: "x".repeat(20_000) } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(431);
  });

  test("start() rejects when the port is taken", async () => {
    const server = await start([page]);
    const { port } = new URL(server.url());
    const second = createServer([{ host: "127.0.0.1", port: Number(port) }], [page], () => {});
    await expect(second.start()).rejects.toMatchObject({
      message: `Cannot listen on 127.0.0.1:${port}`,
      cause: { code: "EADDRINUSE" },
    });
  });

  test("stop() finishes an answer in progress", async () => {
    const [asked, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Route = {
      path: "/slow",
      methods: ["GET"],
      handle: async () => {
        asked.resolve();
        await finish.promise;
        return textAnswer(200, "late\n");
      },
    };
    const server = await start([slow]);
    const body = fetch(`${server.url()}/slow`).then((answer) => answer.text());
    await asked.promise;
    const stopped = server.stop();
    finish.resolve();
    await expect(body).resolves.toBe("late\n");
    await stopped;
  });

  test("stop() closes a connection that an earlier answer kept alive", async () => {
    const large: Route = {
      path: "/large",
      methods: ["GET"],
      handle: () => ({ status: 200, headers: {}, body: [Buffer.alloc(64 * 1024 * 1024)] }),
    };
    // So long that the test times out if a limit closes the connection.
    const limits = { stopMs: 120_000, keepAliveMs: 120_000, stallMs: 120_000, answerMs: 120_000 };
    const server = createServer([{ host: "127.0.0.1", port: 0 }], [large], () => {}, { limits });
    await server.start();
    const client = await connectRaw(server.url());
    client.socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(client.socket, "readable");
    const stopped = server.stop();
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: keep-alive\r\n/);
    await stopped;
  });
});
