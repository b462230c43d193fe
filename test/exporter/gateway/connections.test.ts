import { createServer as createTlsServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ProxyConfig } from "../../../exporter/config/config.ts";
import { Secret } from "../../../exporter/config/secret.ts";
import { createAuthority } from "../../support/certificates.ts";
import { createClient } from "../../support/gateway-client.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { type ProxyOptions, startProxy } from "../../support/proxy-server.ts";
import { answering, startScriptedServer } from "../../support/scripted-server.ts";

const ANSWER = { data: { usage: 1.5 } };
const CANNOT = 'Cannot read key "billing": ';

async function startGateway() {
  const server = await startScriptedServer(answering(200, ANSWER));
  return { ...server, port: Number(new URL(server.url).port) };
}

/** An https gateway for `gateway.test`, whose certificate this process trusts. */
async function startTlsGateway() {
  const authority = createAuthority();
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, authority.cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  const paths: string[] = [];
  const server = createTlsServer(authority.issue("gateway.test"), (request, response) => {
    paths.push(
      `${request.url} ${request.headers.host} ${request.headers["proxy-authorization"] ?? "no login"}`,
    );
    response.end(JSON.stringify(ANSWER));
  });
  const { port, stop } = await listenOnLoopback(server);
  onTestFinished(stop);
  return { port, paths };
}

async function setUp(options: ProxyOptions, baseUrl: string, change: Partial<ProxyConfig> = {}) {
  const proxy = await startProxy(options);
  const config = { url: proxy.url, user: "", password: undefined, bypass: "", ...change };
  return { proxy, ...createClient({ baseUrl, proxy: config }) };
}

describe("requests through a proxy", () => {
  test("send the whole URL for an http gateway", async () => {
    const gateway = await startGateway();
    const { proxy, send } = await setUp({ port: gateway.port }, "http://gateway.test/api/v1");
    expect(await send()).toEqual(ANSWER);
    expect(proxy.requests).toEqual(["GET http://gateway.test/api/v1/key"]);
    expect(gateway.requests[0]).toMatchObject({ path: "/api/v1/key", headers: { host: "gateway.test" } });
  });

  test("use a tunnel for an https gateway, in which the proxy sees nothing", async () => {
    const gateway = await startTlsGateway();
    const login = "me:pass@word";
    const { proxy, send } = await setUp({ port: gateway.port, login }, "https://gateway.test/api/v1", {
      user: "me",
      password: new Secret("pass@word"),
    });
    for (let count = 0; count < 5; count++) expect(await send()).toEqual(ANSWER);
    expect(new Set(proxy.requests)).toEqual(new Set(["CONNECT gateway.test:443"]));
    expect(new Set(proxy.logins)).toEqual(new Set([login]));
    expect(proxy.requests.length).toBeLessThan(5);
    expect(gateway.paths).toEqual(Array.from({ length: 5 }, () => "/api/v1/key gateway.test no login"));
  });

  test("send the credentials with each whole URL", async () => {
    const gateway = await startGateway();
    const login = "me:";
    const { proxy, send } = await setUp({ port: gateway.port, login }, "http://gateway.test", { user: "me" });
    expect(await send()).toEqual(ANSWER);
    expect(proxy.logins).toEqual([login]);
  });

  test("do not use it for a host of NO_PROXY", async () => {
    const gateway = await startGateway();
    const bypass = "other.test, 127.0.0.1";
    const { proxy, send } = await setUp({ port: 1 }, `${gateway.url}/api/v1`, { bypass });
    expect(await send()).toEqual(ANSWER);
    expect(proxy.requests).toEqual([]);
  });

  test.each([
    ["https://gateway.test/api/v1", 407],
    ["https://gateway.test/api/v1", 403],
    ["https://gateway.test/api/v1", 502],
    ["http://gateway.test/api/v1", 407],
  ])("to %s fail with the network if it answers %i", async (baseUrl, refusal) => {
    const { proxy, failingEachTime } = await setUp({ port: 1, refusal }, baseUrl, {
      user: "me",
      password: new Secret("hidden-password"),
    });
    const failure = await failingEachTime();
    expect(failure).toMatchObject({
      kind: "network",
      message: `${CANNOT}the connection through the proxy ${proxy.url} failed: the proxy answered ${refusal}`,
    });
    expect(String(failure)).not.toContain("hidden-password");
  });

  test("fail with the network if it does not answer", async () => {
    const { failingEachTime } = createClient({
      baseUrl: "https://gateway.test",
      proxy: { url: "http://127.0.0.1:1", user: "", password: undefined, bypass: "" },
    });
    expect(await failingEachTime()).toMatchObject({
      kind: "network",
      message: `${CANNOT}the connection through the proxy http://127.0.0.1:1 failed (ECONNREFUSED)`,
    });
  });

  test("fail if the certificate behind the tunnel is not trusted", async () => {
    const authority = createAuthority();
    const server = createTlsServer(authority.issue("gateway.test"), (_, response) => response.end("{}"));
    const { port, stop } = await listenOnLoopback(server);
    onTestFinished(stop);
    const { failingEachTime } = await setUp({ port }, "https://gateway.test");
    expect(await failingEachTime()).toMatchObject({ kind: "network" });
  });
});
