import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { WebConfig } from "../../../exporter/config/web/web-config.ts";
import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { createAuthority } from "../../support/certificates.ts";
import { askOverTls } from "../../support/https-client.ts";

const authority = createAuthority();
const config: WebConfig = {
  tls: { options: authority.issue("127.0.0.1"), clientAuth: "none", allowedSans: undefined },
  users: new Map(),
  headers: new Map(),
};

async function start(route: Route) {
  const web = { isSecure: true, isUpToDate: () => true, current: () => Promise.resolve(config) };
  const server = createServer({ host: "127.0.0.1", port: 0 }, [route], () => {}, {
    web,
    limits: { stopMs: 120_000, requestMs: 120_000 },
  });
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

test("stop() over TLS finishes the answer in progress and closes a connection without a handshake", async () => {
  const [asked, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server = await start({
    path: "/slow",
    methods: ["GET"],
    handle: async () => {
      asked.resolve();
      await finish.promise;
      return textAnswer(200, "late\n");
    },
  });
  const silent = connect(Number(new URL(server.url()).port), "127.0.0.1");
  const closed = new Promise((resolve) => silent.once("close", resolve));
  const answer = askOverTls(`${server.url()}/slow`, { ca: authority.cert });
  await asked.promise;
  const stopped = server.stop();
  await closed;
  finish.resolve();
  const [{ body }] = await Promise.all([answer, stopped]);
  expect(body).toBe("late\n");
});
