import { describe, expect, test } from "vitest";
import { Secret, type SecretSource } from "../../../exporter/secrets/secret.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { startClient, PLANTED, createClient } from "../../support/gateway-client.ts";
import { PausedError } from "../../../exporter/gateway/errors.ts";
import type { Permits, RequestOutcome } from "../../../exporter/gateway/port.ts";
import { secretSource } from "../../support/test-config.ts";

const ok = answering(200, { data: { usage: 1 } });
describe("createSend: the request", () => {
  test("is a GET with the key as bearer token and no other header", async () => {
    const { server, send, answers, outcomes } = await startClient(ok);
    await expect(send()).resolves.toEqual({ data: { usage: 1 } });
    expect(server.requests).toEqual([
      {
        method: "GET",
        path: "/api/v1/key",
        body: "",
        headers: {
          host: server.url.replace("http://", ""),
          connection: "keep-alive",
          authorization: `Bearer ${PLANTED}`,
          accept: "application/json",
          "accept-encoding": "identity",
          "user-agent": "aigateway-exporter/1.2.3",
        },
      },
    ]);
    expect(answers).toEqual(["key 200"]);
    expect(outcomes).toEqual([{ answered: true, throttled: false }]);
  });

  test("is a POST with a JSON body", async () => {
    const { server, send, answers } = await startClient(ok);
    await send(
      { method: "POST", path: "/analytics/query", body: { metrics: ["é"], limit: undefined } },
      { endpoint: "analytics" },
    );
    expect(server.requests).toMatchObject([
      {
        method: "POST",
        path: "/api/v1/analytics/query",
        body: '{"metrics":["é"]}',
        headers: { authorization: `Bearer ${PLANTED}`, "content-type": "application/json" },
      },
    ]);
    expect(answers).toEqual(["analytics 200"]);
  });

  test("reads the key for each call, and once for all its attempts", async () => {
    const { server, send, clock } = await startClient(ok, answering(503), ok);
    let version = 0;
    const secret = {
      origin: "the test",
      read: () => Promise.resolve(new Secret(`sk-${(version += 1)}`)),
    };
    await send({ secret });
    const again = send({ secret });
    await clock.untilPending(1);
    await clock.advance(250);
    await again;
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer sk-1",
      "Bearer sk-2",
      "Bearer sk-2",
    ]);
  });
});

describe("createSend: retries", () => {
  test("gives up after four attempts", async () => {
    const { server, failing, clock } = await startClient(
      answering(502, { error: { message: "Model down" } }),
    );
    const sent = failing();
    for (const ms of [250, 500, 1000]) {
      await clock.untilPending(1);
      await clock.advance(ms);
    }
    expect(await sent).toMatchObject({
      kind: "upstream_error",
      status: 502,
      message: 'Cannot read key "billing": gateway answered 502: Model down',
    });
    expect(server.requests).toHaveLength(4);
    expect(clock.pending()).toEqual([]);
  });

  test("waits as long as the server requests, without jitter, and reports the wait with the permit", async () => {
    const { server, send, clock, outcomes } = await startClient(
      answering(429, {}, { "retry-after": "7" }),
      ok,
    );
    const start = clock.now();
    const sent = send();
    await clock.untilPending(1);
    expect(clock.pending()).toEqual([start + 7_000]);
    expect(outcomes).toEqual([{ answered: true, throttled: true, retryAfterMs: 7_000 }]);
    await clock.advance(6_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await sent;
    expect(server.requests).toHaveLength(2);
    expect(outcomes).toHaveLength(2);
  });

  test("does not wait beyond the deadline, but reports the requested wait", async () => {
    const { server, failing, clock, outcomes } = await startClient(
      answering(429, {}, { "retry-after": "30" }),
      ok,
    );
    expect(await failing()).toMatchObject({ kind: "rate_limited", details: { retryAfterMs: 30_000 } });
    expect(server.requests).toHaveLength(1);
    expect(outcomes).toEqual([{ answered: true, throttled: true, retryAfterMs: 30_000 }]);
    expect(clock.pending()).toEqual([]);
  });
});

/** Gives the first permit at once and each later one after `later`; outcomes are recorded. */

const okBody = answering(200, { data: { usage: 1 } });

const EMPTY = { data: { data: [], metadata: { truncated: false } } };

function permitsThen(later: (signal: AbortSignal) => Promise<void>) {
  const outcomes: RequestOutcome[] = [];
  const signals: AbortSignal[] = [];
  const permits: Permits = {
    next: async (signal) => {
      signals.push(signal);
      if (signals.length > 1) await later(signal);
      return { release: (outcome) => void outcomes.push(outcome) };
    },
  };
  return { permits, outcomes, signals };
}

const UNAVAILABLE = { answered: true, throttled: false, retryAfterMs: undefined };
const NOT_SENT = { answered: false, throttled: false };
describe("createSend: the deadline of a run", () => {
  test("prevents a retry that would begin after it", async () => {
    const slow: Step = async (response, request) => {
      await clock.advance(14_900);
      await answering(503)(response, request);
    };
    const { server, failing, clock } = await startClient(slow);
    const sent = failing();
    await clock.untilPending(1);
    await clock.advance(250);
    expect(await sent).toMatchObject({ kind: "upstream_error", status: 503 });
    // 14.9 s, 0.25 s and 14.9 s have passed; the next wait of 0.5 s would pass the 30 s.
    expect(server.requests).toHaveLength(2);
  });

  test("ends the wait for a retry's permit, with the reason of the last attempt", async () => {
    const server = await startScriptedServer(answering(503));
    const { permits, outcomes, signals } = permitsThen((signal) => clock.sleep(60_000, signal));
    const { failing, clock } = createClient({ baseUrl: server.url }, permits);
    const sent = failing();
    await clock.untilPending(1);
    const begin = clock.monotonic();
    await clock.advance(30_000);
    expect(await sent).toMatchObject({ kind: "upstream_error", status: 503 });
    expect(clock.monotonic() - begin).toBe(30_000);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
    expect(outcomes).toEqual([UNAVAILABLE]);
    expect(clock.pending()).toEqual([]);
  });

  test("covers the second request of a run, including the wait for its permit", async () => {
    const server = await startScriptedServer(answering(200, EMPTY));
    const { permits, outcomes } = permitsThen((signal) => clock.sleep(60_000, signal));
    const { clientFor, clock } = createClient({ baseUrl: server.url }, permits);
    const range = { startMs: 0, endMs: 1000 };
    const asked = clientFor({ endpoint: "analytics", name: "day" }).usage(
      { range, pairs: true, total: true, rates: false },
      secretSource(PLANTED),
    );
    const failed = asked.catch((error: unknown) => error);
    // The wait for the permit and its limit.
    await clock.untilPending(2);
    await clock.advance(30_000);
    expect(await failed).toMatchObject({
      kind: "timeout",
      message: 'Cannot query the analytics of "day": no request could be sent within 30000 ms',
    });
    expect(server.requests).toHaveLength(1);
    expect(outcomes).toEqual([{ answered: true, throttled: false }]);
    expect(clock.pending()).toEqual([]);
  });
});

describe("createSend: permits", () => {
  test("a refusal before the first attempt is the result, and nothing is sent", async () => {
    const server = await startScriptedServer(okBody);
    const paused = new PausedError("key/billing");
    const { failing } = createClient({ baseUrl: server.url }, { next: () => Promise.reject(paused) });
    expect(await failing()).toBe(paused);
    expect(server.requests).toEqual([]);
  });
});

describe("createSend: a credential that cannot be read", () => {
  test("fails the call before anything is sent, and releases the permit", async () => {
    const { server, failing, answers, outcomes } = await startClient(okBody);
    const cause = new Error('file "/run/secrets/billing" is empty');
    const secret: SecretSource = { origin: 'file "/run/secrets/billing"', read: () => Promise.reject(cause) };
    expect(await failing({ secret })).toMatchObject({
      name: "GatewayError",
      kind: "secret_unreadable",
      status: undefined,
      retryable: false,
      message: 'Cannot read key "billing": file "/run/secrets/billing" is empty',
      cause,
    });
    expect(server.requests).toEqual([]);
    expect(answers).toEqual([]);
    expect(outcomes).toEqual([NOT_SENT]);
  });
});

describe("createSend: a signal that is aborted", () => {
  const reason = new Error("The exporter stops");

  test("before the gateway answers", async () => {
    const controller = new AbortController();
    const { server, failing, outcomes, answers } = await startClient(() => controller.abort(reason));
    expect(await failing({}, { signal: controller.signal })).toBe(reason);
    expect(server.requests).toHaveLength(1);
    expect(outcomes).toEqual([NOT_SENT]);
    expect(answers).toEqual([]);
  });

  test("while the call waits for its next attempt", async () => {
    const controller = new AbortController();
    const { server, failing, clock } = await startClient(answering(503), okBody);
    const sent = failing({}, { signal: controller.signal });
    await clock.untilPending(1);
    controller.abort(reason);
    expect(await sent).toBe(reason);
    expect(server.requests).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  test("while the call waits for its next permit", async () => {
    const controller = new AbortController();
    const server = await startScriptedServer(answering(503), okBody);
    const { permits } = permitsThen((signal) => {
      controller.abort(reason);
      return Promise.reject(signal.reason);
    });
    const { failing, clock } = createClient({ baseUrl: server.url }, permits);
    const sent = failing({}, { signal: controller.signal });
    await clock.untilPending(1);
    await clock.advance(250);
    expect(await sent).toBe(reason);
    expect(server.requests).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });
});
