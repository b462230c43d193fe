import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";

import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import type { Limits } from "../../../exporter/http/limits.ts";
import type { DropReason } from "../../../exporter/http/connections.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { connectRaw } from "../../support/raw-client.ts";
import { until } from "../../support/until.ts";

const page: Route = { path: "/", methods: ["GET"], handle: () => textAnswer(200, "hello\n") };
const probe: Route = { path: "/-/healthy", methods: ["GET"], handle: () => textAnswer(200, "well\n") };
/** More than the buffers of two sockets hold. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, "x");
const large: Route = {
  path: "/large",
  methods: ["GET"],
  handle: () => ({ status: 200, headers: {}, body: [LARGE] }),
};

/** Long enough for a busy machine, so that only the limit under test is reached. */
const PATIENT = {
  requestMs: 120_000,
  checkMs: 20,
  stallMs: 120_000,
  unreadMs: 120_000,
  answerMs: 120_000,
  keepAliveMs: 120_000,
};

interface StartOptions {
  readonly maxRequests?: number;
  readonly routes?: readonly Route[];
  readonly onDrop?: (reason: DropReason) => void;
}

async function start(
  limits: Partial<Limits>,
  { maxRequests = 40, routes = [page, probe, large], onDrop }: StartOptions = {},
) {
  const server = createServer([{ host: "127.0.0.1", port: 0 }], routes, () => {}, {
    maxRequests,
    onDrop,
    limits: { ...PATIENT, ...limits },
  });
  await server.start();
  onTestFinished(() => server.stop());
  return server.url();
}

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

describe("a client that", () => {
  test("sends nothing is disconnected", async () => {
    const client = await connectRaw(await start({ requestMs: 100 }));
    expect(await client.rest()).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  test("sends its headers byte by byte is disconnected", async () => {
    const client = await connectRaw(await start({ requestMs: 300 }));
    client.socket.write("GET / HTTP/1.1\r\n");
    const drip = setInterval(() => client.socket.write("x: y\r\n"), 20);
    const answer = await client.rest();
    clearInterval(drip);
    expect(answer).not.toContain("hello");
  });

  test("sends its body byte by byte is disconnected", async () => {
    const client = await connectRaw(await start({ requestMs: 300 }));
    client.socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    const drip = setInterval(() => client.socket.write("x"), 20);
    const answer = await client.rest();
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  });

  test("sends a body that nobody wants is disconnected after its answer", async () => {
    const client = await connectRaw(await start({}));
    client.socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\nx");
    expect(await client.rest()).toMatch(/^HTTP\/1\.1 405 /);
  });

  test("sends requests without waiting for their answers is disconnected", async () => {
    let handled = 0;
    const gate = Promise.withResolvers<void>();
    const slow: Route = {
      path: "/",
      methods: ["GET"],
      handle: async () => {
        handled += 1;
        await gate.promise;
        return textAnswer(200, "hello\n");
      },
    };
    const client = await connectRaw(await start({}, { routes: [slow] }));
    client.socket.write(GET.repeat(1000));
    expect(await client.rest()).toBe("");
    expect(handled).toBeLessThanOrEqual(8);
    gate.resolve();
  });

  test("leaves before its second request is answered occupies no slot", async () => {
    const gate = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const slow: Route = {
      path: "/-/slow",
      methods: ["GET"],
      handle: async ({ socket }) => {
        socket.once("close", () => gate.resolve());
        await gate.promise;
        return textAnswer(200, "late\n");
      },
    };
    const second: Route = {
      path: "/",
      methods: ["GET"],
      handle: () => {
        arrived.resolve();
        return textAnswer(200, "hello\n");
      },
    };
    const url = await start({}, { maxRequests: 1, routes: [slow, second] });
    const client = await connectRaw(url);
    client.socket.write(`GET /-/slow HTTP/1.1\r\nHost: a\r\n\r\n${GET}`);
    await arrived.promise;
    client.socket.destroy();
    await gate.promise;
    expect((await fetch(url)).status).toBe(200);
  });

  test("sends some requests at once gets all answers", async () => {
    const client = await connectRaw(await start({ keepAliveMs: 100 }));
    client.socket.write(GET.repeat(8));
    expect((await client.rest()).match(/hello/g)).toHaveLength(8);
  });

  test("stays idle after an answer is disconnected", async () => {
    const client = await connectRaw(await start({ keepAliveMs: 100 }));
    client.socket.write(GET);
    expect(await client.rest()).toMatch(/hello\n$/);
  });

  test.each<[string, Partial<Limits>, number]>([
    ["does not read a large answer", { stallMs: 300 }, 0],
    ["reads a large answer very slowly", { answerMs: 600 }, 100],
  ])("%s is disconnected, and no longer counts", async (_name, limits, bytes) => {
    const url = await start(limits, { maxRequests: 1 });
    const client = await connectRaw(url);
    client.socket.pause();
    client.socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    const drip = setInterval(() => client.socket.read(bytes), 20);
    expect(await statusOf(url, 503)).toBe(503);
    expect(await statusOf(url, 200)).toBe(200);
    clearInterval(drip);
    expect((await client.rest()).length).toBeLessThan(LARGE.length);
  });

  test.each([
    ["headers beyond the limit", `GET / HTTP/1.1\r\nHost: a\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ["a path beyond the limit", `GET /${"y".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
    ["no HTTP", "hello?\r\n\r\n", 400],
    ["no host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400],
    ["TLS", Buffer.from("16030100c8010000c40303", "hex"), 400],
  ])("sends %s is refused and disconnected", async (_name, bytes, status) => {
    const client = await connectRaw(await start({}));
    client.socket.write(bytes);
    expect(await client.rest()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

describe("maxRequests", () => {
  test("refuses further scrapes until one is answered, but never a health check", async () => {
    const release = Promise.withResolvers<void>();
    let asked = 0;
    const slow: Route = {
      path: "/slow",
      methods: ["GET"],
      handle: async () => {
        asked++;
        await release.promise;
        return textAnswer(200, "late\n");
      },
    };
    // Nobody can have read what is not there yet.
    const url = await start({ unreadMs: 0 }, { maxRequests: 2, routes: [slow, page, probe] });
    const waiting = [fetch(`${url}/slow`), fetch(`${url}/slow`)];
    await until(
      "both",
      () => asked,
      (count) => count === 2,
    );
    const refused = await fetch(url);
    expect([refused.status, await refused.text()]).toEqual([
      503,
      "Limit of concurrent requests reached (2), try again later\n",
    ]);
    expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
    release.resolve();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await statusOf(url, 200)).toBe(200);
  });

  test("counts an answer until the client has read it", async () => {
    const url = await start({}, { maxRequests: 1 });
    const client = await connectRaw(url);
    client.socket.pause();
    client.socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await statusOf(url, 503)).toBe(503);
    client.socket.destroy();
    expect(await statusOf(url, 200)).toBe(200);
  });

  test("gives the place of the oldest unread answer to a further scrape", async () => {
    const drops: DropReason[] = [];
    const url = await start(
      { unreadMs: 300 },
      { maxRequests: 2, onDrop: (reason) => void drops.push(reason) },
    );
    const [first, second] = [await unread(url), await unread(url)];
    expect((await fetch(url)).status).toBe(503);
    expect(await statusOf(url, 200)).toBe(200);
    expect((await first.rest()).length).toBeLessThan(LARGE.length);
    // The first one's place is free again.
    expect((await fetch(url)).status).toBe(200);
    expect((await second.rest()).length).toBeGreaterThan(LARGE.length);
    expect(drops).toEqual(["unread"]);
  });

  test("leaves an unread answer its place while there are others", async () => {
    const url = await start({ unreadMs: 0 }, { maxRequests: 2 });
    const reader = await unread(url);
    expect((await fetch(url)).status).toBe(200);
    expect((await fetch(url)).status).toBe(200);
    expect((await reader.rest()).length).toBeGreaterThan(LARGE.length);
  });

  test("allows any number with 0", async () => {
    const url = await start({}, { maxRequests: 0 });
    const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(url)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

/** A client that has asked for a large answer and does not read it. */
async function unread(url: string) {
  const client = await connectRaw(url);
  client.socket.pause();
  client.socket.write("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  // The kernel's buffers fill up once the answer has begun.
  await once(client.socket, "readable");
  return client;
}

/** The status that another client gets; 503 while the limit is reached. */
function statusOf(url: string, wanted: number): Promise<number> {
  return until(
    `status ${wanted}`,
    async () => (await fetch(url)).status,
    (status) => status === wanted,
  );
}
