import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { GatewayConfig } from "../../../exporter/config/config.ts";
import type { Fault } from "../../gateway/faults.ts";
import { createClient } from "../../support/gateway-client.ts";
import { startRawServer } from "../../support/raw-server.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { secretSource } from "../../support/test-config.ts";
import { startTestApp } from "../../support/test-app.ts";

async function billing(config: Partial<GatewayConfig> = {}) {
  const gateway = await startSimulatedGateway();
  const secret = secretSource(gateway.addKey({ name: "billing" }));
  const client = createClient({ baseUrl: gateway.url, ...config });
  return { gateway, secret, ...client };
}

const NO_KEY = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

const CANNOT = 'Cannot read key "billing": ';

describe("createHttp: unusable answers are not retried", () => {
  test.each<[string, Fault, string]>([
    ["HTML", { kind: "garbage", form: "html" }, "gateway answered 200 with an HTML page"],
    [
      "half a JSON",
      { kind: "garbage", form: "half_json" },
      "gateway answered 200 with a body that is not JSON and begins (not shown: it looks like a secret)",
    ],
    ["an empty body", { kind: "garbage", form: "empty" }, "gateway answered 200 with an empty body"],
    [
      "a much larger body",
      { kind: "oversize", bytes: 5e6 },
      "the answer is larger than 65536 bytes (gateway.max_body)",
    ],
    [
      "a redirect",
      { kind: "redirect", location: "/api/v1/key" },
      "gateway answered 302: redirects are not followed",
    ],
  ])("%s", async (_, fault, why) => {
    const { gateway, secret, failing, clock } = await billing({ maxBodyBytes: 65_536 });
    gateway.faults.add(fault);
    expect(await failing({ secret })).toMatchObject({
      kind: "bad_response",
      message: `${CANNOT}${why}`,
    });
    expect(gateway.log.total).toBe(1);
    expect(clock.pending()).toEqual([]);
  });

  test("stops reading when a body without a length grows too large", async () => {
    let sentBytes = 0;
    const closed = Promise.withResolvers<void>();
    const server = await startScriptedServer((response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(1000))) sentBytes += 1000;
      };
      response.on("drain", more).on("close", () => closed.resolve());
      more();
    });
    const { failing } = createClient({ baseUrl: server.url, maxBodyBytes: 5000 });
    expect(await failing()).toMatchObject({
      kind: "bad_response",
      message: `${CANNOT}the answer is larger than 5000 bytes (gateway.max_body)`,
    });
    await closed.promise;
    expect(sentBytes).toBeLessThan(50_000_000);
  });

  test("a compressed body, which was not requested", async () => {
    const server = await startScriptedServer((response, { headers }) => {
      expect(headers["accept-encoding"]).toBe("identity");
      response.setHeader("content-encoding", "gzip");
      response.end(gzipSync('{"data":{"usage":1}}'));
    });
    const { failing } = createClient({ baseUrl: server.url });
    expect(await failing()).toMatchObject({
      kind: "bad_response",
      message: `${CANNOT}the answer has a content encoding that was not requested`,
    });
  });

  test.each([
    ["an unrequested 100 Continue", `HTTP/1.1 100 Continue\r\n\r\n${NO_KEY}`, "UND_ERR_SOCKET"],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "HTTPParserError"],
  ])("%s", async (_, bytes, code) => {
    const { failing } = createClient({ baseUrl: await startRawServer((socket) => socket.end(bytes)) });
    expect(await failing()).toMatchObject({
      kind: "bad_response",
      message: `${CANNOT}the answer is not readable HTTP (${code})`,
    });
  });
});

describe("createHttp: the status decides when the body of a refusal cannot be read", () => {
  test.each<[string, Step, object]>([
    ["403, which does not end", announced(403), { kind: "forbidden", status: 403 }],
    [
      "429, which does not end",
      announced(429, { "retry-after": "45" }),
      { kind: "rate_limited", status: 429, retryAfterMs: 45_000 },
    ],
  ])("%s", async (_, step, wanted) => {
    const server = await startScriptedServer(step);
    const { failing, answers } = createClient({
      baseUrl: server.url,
      timeoutMs: 300,
    });
    const { status } = { status: 0, ...wanted };
    expect(await failing()).toMatchObject({ ...wanted, message: `${CANNOT}gateway answered ${status}` });
    expect(answers).toEqual([`key ${status}`]);
  });
});

describe("createHttp: a redirect", () => {
  test.each([301, 302, 303, 307, 308])(
    "%i is not followed, so the other origin receives nothing",
    async (status) => {
      const other = await startScriptedServer(answering(200, { data: {} }));
      const server = await startScriptedServer(answering(status, "", { location: `${other.url}/key` }));
      const { failing, clock } = createClient({ baseUrl: server.url });
      expect(await failing()).toMatchObject({
        kind: "bad_response",
        status,
        message: `${CANNOT}gateway answered ${status}: redirects are not followed (this one leads to "${new URL(other.url).hostname}")`,
      });
      expect(other.requests).toEqual([]);
      expect(server.requests).toHaveLength(1);
      expect(clock.pending()).toEqual([]);
    },
  );
});

describe("createHttp: failures of the connection", () => {
  test.each<[string, Fault, string]>([
    ["a reset", { kind: "reset" }, "the connection failed (ECONNRESET)"],
    ["a body that is cut", { kind: "cut" }, "the connection failed (UND_ERR_SOCKET)"],
  ])("%s is tried again", async (_, fault, why) => {
    const { gateway, secret, failingEachTime, send, answers } = await billing();
    const active = gateway.faults.add(fault);
    const error = await failingEachTime({ secret });
    expect(error).toMatchObject({ kind: "network", status: undefined, message: `${CANNOT}${why}` });
    expect(active.hits).toBe(4);
    expect(answers).toEqual(Array.from({ length: 4 }, () => "key none"));
    active.clear();
    await expect(send({ secret })).resolves.toHaveProperty("data.usage", 0);
  });

  test("a refused connection is tried again", async () => {
    const gateway = await startSimulatedGateway();
    const { failingEachTime, answers } = createClient({ baseUrl: gateway.url });
    await gateway.stop();
    expect(await failingEachTime()).toMatchObject({
      kind: "network",
      message: `${CANNOT}the connection failed (ECONNREFUSED)`,
    });
    expect(answers).toHaveLength(4);
  });
});

describe("createHttp: the timeout of an attempt", () => {
  test.each<[string, Fault]>([
    ["no answer", { kind: "slow", delayMs: 60_000 }],
    ["an answer that arrives byte by byte", { kind: "drip", everyMs: 20 }],
    ["an answer that stops", { kind: "drip", everyMs: 60_000, bytesAtOnce: 5 }],
  ])("%s", async (_, fault) => {
    const { gateway, secret, failingEachTime, answers } = await billing({ timeoutMs: 100 });
    gateway.faults.add(fault);
    expect(await failingEachTime({ secret })).toMatchObject({
      kind: "timeout",
      message: `${CANNOT}no complete answer within 100 ms`,
    });
    expect(answers).toEqual(Array.from({ length: 4 }, () => "key none"));
  });
});

/** Announces a long body and sends only its beginning. */
function announced(status: number, headers: Readonly<Record<string, string>> = {}): Step {
  return (response) => {
    response.writeHead(status, { "content-length": "9999", ...headers });
    response.write('{"error":');
  };
}

test.each([402, 403] as const)("the limit behind a %i is in the log and on the page", async (status) => {
  const app = await startTestApp({
    gateway: () => ({ switches: { exhaustedKeyStatus: status, refusalSources: true } }),
    prepare: (gateway) => {
      gateway.addKey({ name: "spent", limitMicros: 1 });
      gateway.spend({ key: "spent", model: "acme/one", micros: 1, force: true });
    },
  });
  await app.seriesWhen((series) => series.get('aigateway_key_up{key="spent"}') === 0);
  const text = `Cannot read key "spent": gateway answered ${status}: Key limit exceeded (limit: openrouter_key_limit)`;
  const line = app.lines.find(({ message }) => message === text);
  expect(line?.fields).toMatchObject({ status, limitSource: "openrouter_key_limit" });
  expect(await app.page()).toContain("(limit: openrouter_key_limit)");
});
