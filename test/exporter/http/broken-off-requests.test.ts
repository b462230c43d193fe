import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { WebConfig } from "../../../exporter/config/web/web-config.ts";
import { createRequestSemaphore } from "../../../exporter/http/request-semaphore.ts";
import { CLIENT_LEFT, createRouter } from "../../../exporter/http/router.ts";
import { textAnswer } from "../../../exporter/http/route.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { connectRaw } from "../../support/raw-client.ts";

const OPEN: WebConfig = { tls: undefined, headers: new Map(), users: new Map() };

test("createRouter() keeps no slot for a request that is broken off while its access is checked", async () => {
  let isBrokenOff = Promise.resolve();
  const router = createRouter([{ path: "/", methods: ["GET"], handle: () => textAnswer(200, "hello\n") }], {
    passwords: { matches: () => Promise.resolve(true) },
    web: {
      isSecure: false,
      isUpToDate: () => true,
      // The check ends after the client is gone.
      current: () => isBrokenOff.then(() => OPEN),
    },
    allowedHosts: [],
    isCurrent: () => true,
    maxRequests: 1,
    tryAcquire: createRequestSemaphore({ most: 1, unreadMs: Infinity, onUnread: () => {} }),
    onRefusal: () => {},
  });
  const answered: Promise<unknown>[] = [];
  const arrived = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    if (request.headers["x-broken-off"] !== undefined) {
      isBrokenOff = new Promise((resolve) => void response.once("close", () => resolve()));
    }
    const answer = router(request, response);
    answered.push(answer);
    arrived.resolve();
    void answer.then(
      ({ status }) => response.writeHead(status).end(),
      () => {},
    );
  });
  const { address, stop } = await listenOnLoopback(server);
  onTestFinished(stop);

  const { socket } = await connectRaw(`http://${address}`);
  socket.write("GET / HTTP/1.1\r\nHost: a\r\nX-Broken-Off: yes\r\n\r\n");
  await arrived.promise;
  socket.destroy();
  await expect(answered[0]).rejects.toBe(CLIENT_LEFT);
  expect((await fetch(`http://${address}/`)).status).toBe(200);
});
