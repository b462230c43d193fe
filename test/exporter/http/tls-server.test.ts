import { once } from "node:events";
import { connect } from "node:net";
import { connect as tlsConnect, type ConnectionOptions } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { WebConfig, WebTls } from "../../../exporter/config/web/web-config.ts";
import { type Route, textAnswer } from "../../../exporter/http/route.ts";
import { createServer } from "../../../exporter/http/server.ts";
import { alternativeNames, createAuthority, generalName } from "../../support/certificates.ts";
import { askOverTls } from "../../support/https-client.ts";
import { until } from "../../support/until.ts";

const authority = createAuthority();
const config: WebConfig = {
  tls: { options: authority.issue("127.0.0.1"), clientAuth: "none", allowedSans: undefined },
  users: new Map(),
  headers: new Map(),
};

async function start(route: Route, current = () => config, refused: unknown[] = []) {
  const web = { isSecure: true, isUpToDate: () => true, current: async () => current() };
  const server = createServer([{ host: "127.0.0.1", port: 0 }], [route], () => {}, {
    web,
    limits: { stopMs: 120_000, requestMs: 120_000 },
    onRefusal: (...refusal) => void refused.push(refusal),
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

const page: Route = { path: "/", methods: ["GET"], handle: () => textAnswer(200, "hello\n") };
const verifying: WebConfig = {
  ...config,
  tls: {
    options: { ...authority.issue("127.0.0.1"), ca: authority.cert },
    clientAuth: "require and verify",
    allowedSans: ["prometheus.example"],
  },
};

/** One connection over TLS, kept open, which asks for the page as often as the test wants. */
function connectTls(url: string, options: ConnectionOptions) {
  const socket = tlsConnect({
    host: "127.0.0.1",
    port: Number(new URL(url).port),
    ca: authority.cert,
    ...options,
  });
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<"closed">((resolve) => {
    socket.on("close", () => resolve("closed")).on("error", () => {});
  });
  return {
    socket,
    ask: async () => {
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const answered = once(socket, "data").then(
        ([chunk]: unknown[]) => String(chunk).slice(9, 12),
        () => closed,
      );
      return Promise.race([closed, answered]);
    },
  };
}

describe.each(["TLSv1.2", "TLSv1.3"] as const)("over %s", (maxVersion) => {
  test("a session with a client certificate cannot be resumed", async () => {
    const refused: unknown[] = [];
    const server = await start(page, () => verifying, refused);
    const client = authority.issue("prometheus.example");
    const sessions: Buffer[] = [];
    const first = connectTls(server.url(), { ...client, maxVersion });
    first.socket.on("session", (session) => sessions.push(session));
    expect(await first.ask()).toBe("200");
    const [session = first.socket.getSession()] = sessions;
    // Without the certificate, only a resumed session could be accepted.
    const second = connectTls(server.url(), { maxVersion, ...(session && { session }) });
    expect(await second.ask()).toBe("closed");
    expect(refused).toEqual([["client certificate", "127.0.0.1"]]);
  });

  test("a connection is closed at its first request after the client certificate has expired", async () => {
    const server = await start(page, () => verifying);
    // Certificates count whole seconds.
    const client = authority.issueWith({
      extensions: [alternativeNames(generalName("DNS", "prometheus.example"))],
      endMs: Date.now() + 2000,
    });
    const { ask } = connectTls(server.url(), { ...client, maxVersion });
    expect(await ask()).toBe("200");
    expect(await until("the end", ask, (outcome) => outcome !== "200")).toBe("closed");
  });

  test("an expired certificate is accepted where none is verified", async () => {
    const requiring: WebConfig = { ...config, tls: { ...required(config), clientAuth: "require" } };
    const server = await start(page, () => requiring);
    const client = authority.issueWith({ endMs: Date.now() - 60_000 });
    const { ask } = connectTls(server.url(), { ...client, maxVersion });
    expect([await ask(), await ask()]).toEqual(["200", "200"]);
  });

  test.each<[string, WebConfig]>([
    [
      "another name is required",
      { ...verifying, tls: { ...required(verifying), allowedSans: ["other.example"] } },
    ],
    [
      "another authority is required",
      {
        ...verifying,
        tls: {
          ...required(verifying),
          options: { ...required(verifying).options, ca: createAuthority("other").cert },
        },
      },
    ],
  ])("a connection is closed at its next request when %s", async (_name, next) => {
    let current = verifying;
    const server = await start(page, () => current);
    const { ask } = connectTls(server.url(), { ...authority.issue("prometheus.example"), maxVersion });
    expect([await ask(), await ask()]).toEqual(["200", "200"]);
    current = next;
    expect(await ask()).toBe("closed");
  });

  test("a connection without a certificate is closed at its next request when one is required", async () => {
    let current = config;
    const server = await start(page, () => current);
    const { ask } = connectTls(server.url(), { maxVersion });
    expect(await ask()).toBe("200");
    current = verifying;
    expect(await ask()).toBe("closed");
  });
});

function required({ tls }: WebConfig): WebTls {
  if (!tls) throw new Error("The configuration has no TLS");
  return tls;
}
