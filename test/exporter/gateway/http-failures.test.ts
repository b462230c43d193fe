import { describe, expect, test } from "vitest";
import type { GatewayConfig } from "../../../exporter/config/config.ts";
import type { Fault } from "../../gateway/faults.ts";
import type { Switches } from "../../gateway/switches.ts";
import { createClient } from "../../support/gateway-client.ts";
import { startRawServer } from "../../support/raw-server.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { startSimulatedGateway } from "../../support/simulated-gateway.ts";
import { until } from "../../support/until.ts";
import { secretSource } from "../../support/test-config.ts";

async function billing(config: Partial<GatewayConfig> = {}, switches: Partial<Switches> = {}) {
  const gateway = await startSimulatedGateway({ switches });
  const secret = secretSource(gateway.addKey({ name: "billing" }));
  const client = createClient({ baseUrl: gateway.url, ...config });
  return { gateway, secret, ...client };
}

const NO_KEY = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

const CANNOT = 'Cannot read key "billing": ';

describe("createHttp: unusable answers are not retried", () => {
  test.each<[string, Fault, string]>([
    [
      "HTML",
      { kind: "garbage", form: "html" },
      "gateway answered 200 with a body that is not JSON but HTML (check gateway.base_url)",
    ],
    [
      "a text that is not JSON",
      { kind: "garbage", form: "not_json" },
      "gateway answered 200 with a body that is not JSON",
    ],
    [
      "half a JSON",
      { kind: "garbage", form: "half_json" },
      "gateway answered 200 with a body that is not JSON",
    ],
    ["an empty body", { kind: "garbage", form: "empty" }, "gateway answered 200 with an empty body"],
    ["a larger body", { kind: "oversize", bytes: 65_537 }, "the answer is larger than 65536 bytes"],
    ["a much larger body", { kind: "oversize", bytes: 5e6 }, "the answer is larger than 65536 bytes"],
    [
      "a redirect",
      { kind: "redirect", location: "/api/v1/key" },
      "gateway answered 302: redirects are not followed (check gateway.base_url)",
    ],
  ])("%s", async (_, fault, why) => {
    const { gateway, secret, failing, clock } = await billing();
    gateway.faults.add(fault);
    expect(await failing({ secret, maxBodyBytes: 65_536 })).toMatchObject({
      kind: "bad_response",
      message: `${CANNOT}${why}`,
    });
    expect(gateway.log.total).toBe(1);
    expect(clock.pending()).toEqual([]);
  });

  test("accepts a body of exactly the maximum size", async () => {
    const { gateway, secret, send } = await billing({ maxBodyBytes: 5000 });
    gateway.faults.add({ kind: "oversize", bytes: 5000 });
    await expect(send({ secret })).resolves.toEqual({ data: "x".repeat(5000 - 11) });
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

  test("stops at the length that the headers announce", async () => {
    const server = await startScriptedServer((response) => {
      response.writeHead(200, { "content-length": "5001" });
      response.flushHeaders();
    });
    const { failing } = createClient({ baseUrl: server.url, maxBodyBytes: 5000 });
    expect(await failing()).toMatchObject({
      kind: "bad_response",
      message: `${CANNOT}the answer is larger than 5000 bytes (gateway.max_body)`,
    });
  });

  test("endless informational responses", async () => {
    const url = await startRawServer((socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(33)));
    const { failing } = createClient({ baseUrl: url });
    expect(await failing()).toMatchObject({
      kind: "bad_response",
      message: `${CANNOT}the answer does not begin within 32 informational responses`,
    });
  });

  test("accepts an answer after informational responses", async () => {
    const url = await startRawServer((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\n\r\n${NO_KEY}`));
    const { send } = createClient({ baseUrl: url });
    await expect(send()).resolves.toEqual({});
  });

  test("an answer without a body", async () => {
    const server = await startScriptedServer(answering(204, ""));
    const { failing } = createClient({ baseUrl: server.url });
    expect(await failing()).toMatchObject({
      kind: "bad_response",
      status: 204,
      message: `${CANNOT}gateway answered 204 with an empty body`,
    });
  });

  test.each([
    ["an unrequested 100 Continue", `HTTP/1.1 100 Continue\r\n\r\n${NO_KEY}`, "UND_ERR_SOCKET"],
    [
      "an unrequested upgrade",
      "HTTP/1.1 101 X\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
      "UND_ERR_SOCKET",
    ],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "HTTPParserError"],
    ["an invalid header", "HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "HTTPParserError"],
    [
      "headers without end",
      `HTTP/1.1 200 OK\r\nx: ${"x".repeat(40_000)}\r\n\r\n`,
      "UND_ERR_HEADERS_OVERFLOW",
    ],
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
    ["401, cut", cut(announced(401)), { kind: "unauthorized", status: 401 }],
    ["403, which does not end", announced(403), { kind: "forbidden", status: 403 }],
    ["400, too large", answering(400, "x".repeat(65_537)), { kind: "bad_request", status: 400 }],
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

  test("a call that is aborted meanwhile rejects with the abort", async () => {
    const server = await startScriptedServer(announced(500));
    const { send } = createClient({ baseUrl: server.url });
    const aborter = new AbortController();
    const sent = send({}, { signal: aborter.signal });
    await until(
      "the request",
      () => server.requests.length,
      (seen) => seen === 1,
    );
    aborter.abort(new Error("Enough"));
    await expect(sent).rejects.toThrow("Enough");
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
        message: `${CANNOT}gateway answered ${status}: redirects are not followed (check gateway.base_url)`,
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
    ["a body that is cut at once", { kind: "cut", afterBytes: 0 }, "the connection failed (UND_ERR_SOCKET)"],
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

  test.each([
    ["103 Early Hints", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"],
    ["102 Processing", "HTTP/1.1 102 Processing\r\n\r\n".repeat(32)],
  ])("a reset after %s is tried again", async (_, bytes) => {
    const url = await startRawServer((socket) => socket.write(bytes, () => socket.resetAndDestroy()));
    const { failingEachTime, answers } = createClient({ baseUrl: url });
    expect(await failingEachTime()).toMatchObject({ kind: "network", status: undefined });
    expect(answers).toEqual(Array.from({ length: 4 }, () => "key none"));
  });

  test("no answer after 103 Early Hints is a timeout", async () => {
    const url = await startRawServer((socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"));
    const { failingEachTime } = createClient({ baseUrl: url, timeoutMs: 100 });
    expect(await failingEachTime()).toMatchObject({ kind: "timeout", status: undefined });
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

describe("createHttp: the message of a failure", () => {
  test.each<[Switches["errorBody"], string]>([
    ["envelope", ": Slow down"],
    ["without_code", ": Slow down"],
    ["success_false", ": Slow down"],
    ["html", ""],
    ["empty", ""],
  ])("%s", async (errorBody, message) => {
    const { gateway, secret, failing } = await billing({}, { errorBody });
    gateway.faults.add({ kind: "status", status: 403, message: "Slow down" });
    expect(await failing({ secret })).toMatchObject({
      kind: "forbidden",
      status: 403,
      message: `${CANNOT}gateway answered 403${message}`,
    });
  });

  test.each<Switches["rateLimitReset"]>(["milliseconds", "seconds", "metadata"])(
    "waits for the reset of a limit in %s",
    async (rateLimitReset) => {
      const { gateway, secret, send, clock } = await billing({}, { rateLimitReset });
      const hitLimit = { limit: 20, remaining: 0, resetAt: clock.now() + 5000 };
      gateway.faults.add({ kind: "status", status: 429, hitLimit, times: 1 });
      const sent = send({ secret });
      await clock.untilPending(1);
      expect(clock.pending()).toEqual([hitLimit.resetAt]);
      await clock.advance(5000);
      await expect(sent).resolves.toHaveProperty("data");
    },
  );

  test.each<[Switches["retryAfter"], number]>([
    ["seconds", 3000],
    ["http_date", 3000],
    ["absent", 250],
  ])("Retry-After as %s", async (retryAfter, waitMs) => {
    const { gateway, secret, send, clock } = await billing({}, { retryAfter });
    gateway.faults.add({ kind: "status", status: 503, retryAfterSeconds: 3, times: 1 });
    const sent = send({ secret });
    await clock.untilPending(1);
    expect(clock.pending()).toEqual([clock.now() + waitMs]);
    await clock.advance(waitMs);
    await expect(sent).resolves.toHaveProperty("data");
  });
});

/** Announces a long body and sends only its beginning. */
function announced(status: number, headers: Readonly<Record<string, string>> = {}): Step {
  return (response) => {
    response.writeHead(status, { "content-length": "9999", ...headers });
    response.write('{"error":');
  };
}

/** Ends the connection after the step. */
function cut(step: Step): Step {
  return (response, request) => {
    void step(response, request);
    setImmediate(() => response.destroy());
  };
}
