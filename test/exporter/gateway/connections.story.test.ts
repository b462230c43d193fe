import { createServer as createTlsServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { createAuthority } from "../../support/certificates.ts";
import { createClient } from "../../support/gateway-client.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { type ProxyOptions, startProxy } from "../../support/proxy-server.ts";

const ANSWER = { data: { usage: 1.5 } };
const CANNOT = 'Cannot read key "billing": ';

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

const GATEWAY = "https://gateway.test/api/v1";

async function setUp(options: ProxyOptions, login?: string, timeoutMs = 30_000) {
  const proxy = await startProxy(options);
  const encoded = login === undefined ? undefined : new Secret(Buffer.from(login).toString("base64"));
  return {
    proxy,
    ...createClient({
      baseUrl: GATEWAY,
      timeoutMs,
      connections: 1,
      proxy: { url: proxy.url, login: encoded },
    }),
  };
}

describe("requests through a proxy", () => {
  test("use tunnels, in which the proxy sees nothing", async () => {
    const gateway = await startTlsGateway();
    const login = "me:pass@word";
    const { proxy, send } = await setUp({ port: gateway.port, login }, login);
    for (let count = 0; count < 5; count++) expect(await send()).toEqual(ANSWER);
    // A slow machine may need another tunnel, because the gateway closes an idle one.
    expect(new Set(proxy.requests)).toEqual(new Set(["CONNECT gateway.test:443"]));
    expect(new Set(proxy.logins)).toEqual(new Set([login]));
    expect(gateway.paths).toEqual(Array.from({ length: 5 }, () => "/api/v1/key gateway.test no login"));
  });

  test.each([
    [407, "asks for credentials (407); write them into the proxy's URL"],
    [502, "refuses to connect to the gateway (502)"],
  ])("fail with the network if it answers %i", async (refusal, why) => {
    const { proxy, failingEachTime } = await setUp({ port: 1, refusal }, "me:hidden-password");
    const failure = await failingEachTime();
    expect(failure).toMatchObject({
      kind: "network",
      message: expect.stringContaining(`${CANNOT}the proxy ${proxy.url} ${why}`),
    });
    expect(String(failure)).not.toContain("hidden-password");
  });

  test("succeed again soon after it left tunnels without an answer", async () => {
    const gateway = await startTlsGateway();
    let isSilent = true;
    const { failingEachTime, send, throughRetries } = await setUp(
      { port: gateway.port, isSilent: () => isSilent },
      undefined,
      500,
    );
    expect(await failingEachTime()).toMatchObject({ kind: "timeout" });
    isSilent = false;
    expect(await throughRetries(send())).toEqual(ANSWER);
  });
});
