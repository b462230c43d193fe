import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createClient } from "../../support/gateway-client.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { secretSource } from "../../support/test-config.ts";
import { startTestApp } from "../../support/test-app.ts";
import type { GatewayClient, TranscriptionRequest, UsageQuestion } from "../../../exporter/gateway/port.ts";
import type { Dispatcher } from "undici";
import { exchange } from "../../../exporter/gateway/exchange.ts";
import { createServer as createTlsServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { createAuthority } from "../../support/certificates.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { type ProxyOptions, startProxy } from "../../support/proxy-server.ts";

const CANNOT = 'Cannot read key "billing": ';

describe("createHttp: the status decides when the body of a refusal cannot be read", () => {
  test.each<[string, Step, object]>([
    ["403, which does not end", announced(403), { kind: "forbidden", status: 403 }],
    [
      "429, which does not end",
      announced(429, { "retry-after": "45" }),
      { kind: "rate_limited", status: 429, details: { retryAfterMs: 45_000 } },
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

test("createHttp: a gateway may close a connection after any answer", async () => {
  const server = await startScriptedServer((response) => {
    response.socket?.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
    // While the answer is read.
    setImmediate(() => setImmediate(() => response.socket?.end()));
  });
  const { send, throughRetries, answers } = createClient({ baseUrl: server.url });
  const sendTen = async () => {
    for (let count = 0; count < 10; count++) await throughRetries(send());
  };
  await Promise.all([sendTen(), sendTen(), sendTen(), sendTen()]);
  expect(new Set(answers)).toEqual(new Set(["key 200"]));
});

describe("an answer that never comes", () => {
  test("an interim response (102) and then silence is a timeout", async () => {
    const server = await startScriptedServer((response) => response.writeProcessing());
    const { failingEachTime } = createClient({ baseUrl: server.url, timeoutMs: 300 });
    expect(await failingEachTime()).toMatchObject({ kind: "timeout" });
  });

  test("a request that is given up before it is connected is not sent", async () => {
    const { promise: handler, resolve } = Promise.withResolvers<Dispatcher.DispatchHandler>();
    const dispatch = (_: object, one: Dispatcher.DispatchHandler) => {
      resolve(one);
      return true;
    };
    const stop = new AbortController();
    const sent = exchange(
      { dispatch },
      { path: "/", method: "GET" },
      { limitMs: 60_000, signal: stop.signal },
    );
    stop.abort(new Error("Stopped"));
    await expect(sent).rejects.toThrow("Stopped");
    const abort = vi.fn<(reason: Error) => void>();
    const controller = {
      abort,
      aborted: false,
      paused: false,
      reason: null,
      pause: () => {},
      resume: () => {},
    };
    (await handler).onRequestStart?.(controller, {});
    expect(abort).toHaveBeenCalledWith(stop.signal.reason);
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

/** Every request that the exporter can send. They change nothing, and only the transcription costs credits. */
const SENT = [
  "GET /analytics/meta",
  "GET /credits",
  "GET /key",
  "GET /keys?include_disabled&include_expired&offset",
  "GET /keys?include_disabled&include_expired&offset&workspace_id",
  "GET /keys?include_disabled&offset",
  "GET /keys?include_disabled&offset&workspace_id",
  "POST /analytics/query",
  "POST /audio/transcriptions",
];

const SECRET = secretSource("sk-management");
const RANGE = { startMs: Date.UTC(2026, 10, 18), endMs: Date.UTC(2026, 10, 18, 12) };
const QUESTION: UsageQuestion = { range: RANGE, pairs: true, total: true, rates: true };
const FILTER = { dimension: "model", operator: "not_in", values: ["acme/one"], withUnset: true } as const;
const AUDIO: TranscriptionRequest = {
  audio: { bytes: new Uint8Array([1]), format: "mp3" },
  model: "acme/ear",
  responseFormat: "json",
  upload: "json",
};

type Operation = (client: GatewayClient) => Promise<unknown>;

/** The operations of the port that take more than a secret, with each of their forms. */
const OPERATIONS: Readonly<Partial<Record<string, readonly Operation[]>>> = {
  usage: [
    (client) => client.usage(QUESTION, SECRET),
    (client) => client.usage({ ...QUESTION, dimensions: ["user"], filters: [FILTER] }, SECRET),
  ],
  usageSeries: [
    (client) => client.usageSeries({ range: RANGE, granularity: "hour", dimensions: [] }, SECRET),
  ],
  accountKeys: [
    (client) => client.accountKeys(undefined, SECRET),
    (client) => client.accountKeys("0f5e7d2c-1a3b-4c5d-8e9f-001122334455", SECRET),
  ],
  transcribe: [
    (client) => client.transcribe(AUDIO, SECRET, 1000),
    (client) => client.transcribe({ ...AUDIO, upload: "multipart" }, SECRET, 1000),
  ],
};

function operationsOf(client: GatewayClient): readonly Operation[] {
  return Object.entries(client).flatMap(
    ([name, operation]) => OPERATIONS[name] ?? [async () => Reflect.apply(operation, client, [SECRET])],
  );
}

/**
 * Answers, and how long a call may take. Calls that would be retried end before the first retry, because the
 * clock does not advance.
 */
const ANSWERS: readonly (readonly [Step, deadlineMs: number])[] = [
  [answering(200, { data: [{ hash: "a".repeat(64) }] }), 10_000],
  [answering(200, { data: { usage: 1, total_credits: 2, total_usage: 1 } }), 10_000],
  [answering(200, "no JSON"), 10_000],
  [answering(307, {}, { location: "/elsewhere" }), 10_000],
  ...[400, 401, 402, 403, 404].map((status) => [answering(status), 10_000] as const),
  ...[408, 429, 500].map((status) => [answering(status), 250] as const),
];

describe("the exporter sends only known requests", () => {
  test("by every operation of the port, whatever the gateway answers", async () => {
    const sent = new Set<string>();
    for (const [answer, deadlineMs] of ANSWERS) {
      const { url, requests } = await startScriptedServer(answer);
      const { clientFor } = createClient({ baseUrl: url, deadlineMs, timeoutMs: deadlineMs });
      for (const operation of operationsOf(clientFor())) await operation(clientFor()).catch(() => {});
      for (const { method, path } of requests) sent.add(`${method} ${withoutValues(path)}`);
    }
    expect([...sent].toSorted()).toEqual(SENT);
  });
});

/** `/keys?offset=0` as `/keys?offset`. */
function withoutValues(path: string): string {
  const [name, query] = path.split("?");
  if (query === undefined) return path;
  return `${name}?${[...new URLSearchParams(query).keys()].toSorted().join("&")}`;
}

const ANSWER = { data: { usage: 1.5 } };

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
    [407, "asks for credentials (407)"],
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
