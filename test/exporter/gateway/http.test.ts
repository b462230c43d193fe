import { describe, expect, test } from "vitest";
import { Secret } from "../../../exporter/config/secret.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { createClient, PLANTED } from "../../support/gateway-client.ts";

const ok = answering(200, { data: { usage: 1 } });

async function clientOf(...steps: readonly Step[]) {
  const server = await startScriptedServer(...steps);
  return { server, ...createClient({ baseUrl: `${server.url}/api/v1` }) };
}

describe("createHttp: the request", () => {
  test("is a GET with the key as bearer token and nothing more", async () => {
    const { server, send, answers, outcomes } = await clientOf(ok);
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
          "user-agent": "aigateway-exporter/1.2.3",
        },
      },
    ]);
    expect(answers).toEqual(["key 200"]);
    expect(outcomes).toEqual([{ throttled: false, hintMs: undefined }]);
  });

  test("is a POST with a JSON body", async () => {
    const { server, send, answers } = await clientOf(ok);
    await send({
      endpoint: "analytics",
      method: "POST",
      path: "/analytics/query",
      body: { metrics: ["é"], limit: undefined },
    });
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

  test.each([200, 201, 299])("takes the body of status %i", async (status) => {
    const { send } = await clientOf(answering(status, { fine: true }));
    await expect(send()).resolves.toEqual({ fine: true });
  });

  test("reads the key anew for each call, and once for all its attempts", async () => {
    const { server, send, clock } = await clientOf(ok, answering(503), ok);
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

describe("createHttp: retries", () => {
  test("asks again after 503 and 503, with exponential backoff, and takes the third answer", async () => {
    const { server, send, clock, answers, outcomes } = await clientOf(answering(503), answering(503), ok);
    const start = clock.now();
    const sent = send();
    await clock.untilPending(1);
    expect(clock.pending()).toEqual([start + 250]);
    await clock.advance(250);
    await clock.untilPending(1);
    expect(clock.pending()).toEqual([start + 750]);
    await clock.advance(500);
    await expect(sent).resolves.toEqual({ data: { usage: 1 } });
    expect(server.requests).toHaveLength(3);
    expect(answers).toEqual(["key 503", "key 503", "key 200"]);
    expect(outcomes).toHaveLength(3);
  });

  test("gives up after four attempts", async () => {
    const { server, failing, clock } = await clientOf(answering(502, { error: { message: "Model down" } }));
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

  test.each([400, 401, 402, 403, 404, 413, 302])("never asks again after %i", async (status) => {
    const { server, failing, clock, outcomes } = await clientOf(answering(status), ok);
    expect(await failing()).toMatchObject({
      status,
      message: expect.stringContaining(`Cannot read key "billing": gateway answered ${status}`),
    });
    expect(server.requests).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
    expect(outcomes).toEqual([{ throttled: false, hintMs: undefined }]);
  });

  test.each([408, 429, 500, 502, 503, 504, 524, 529])("asks again after %i", async (status) => {
    const { server, send, clock } = await clientOf(answering(status), ok);
    const sent = send();
    await clock.untilPending(1);
    await clock.advance(250);
    await sent;
    expect(server.requests).toHaveLength(2);
  });

  test("waits as long as the server asks, without jitter, and tells the pace", async () => {
    const { server, send, clock, outcomes } = await clientOf(answering(429, {}, { "retry-after": "7" }), ok);
    const start = clock.now();
    const sent = send();
    await clock.untilPending(1);
    expect(clock.pending()).toEqual([start + 7_000]);
    expect(outcomes).toEqual([{ throttled: true, hintMs: 7_000 }]);
    await clock.advance(6_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    await sent;
    expect(server.requests).toHaveLength(2);
    expect(outcomes).toHaveLength(2);
  });

  test("does not wait beyond the deadline: the hint is left to the pace", async () => {
    const { server, failing, clock, outcomes } = await clientOf(
      answering(429, {}, { "retry-after": "30" }),
      ok,
    );
    expect(await failing()).toMatchObject({ kind: "rate_limited", hintMs: 30_000 });
    expect(server.requests).toHaveLength(1);
    expect(outcomes).toEqual([{ throttled: true, hintMs: 30_000 }]);
    expect(clock.pending()).toEqual([]);
  });
});

describe("createHttp: the deadline of a call", () => {
  test("leaves no retry that would begin after it", async () => {
    const slow: Step = async (response, request) => {
      await clock.advance(14_900);
      await answering(503)(response, request);
    };
    const { server, failing, clock } = await clientOf(slow);
    const sent = failing();
    await clock.untilPending(1);
    await clock.advance(250);
    expect(await sent).toMatchObject({ kind: "upstream_error", status: 503 });
    // 14.9 s, 0.25 s and 14.9 s have gone; the next wait of 0.5 s would pass the 30 s.
    expect(server.requests).toHaveLength(2);
  });

  test("is not begun while the call waits for the pace, and ends a wait for the pace", async () => {
    const server = await startScriptedServer(answering(503));
    const outcomes: unknown[] = [];
    const { failing, clock } = createClient(
      { baseUrl: server.url },
      {
        admit: async () => {
          await clock.advance(40_000);
          return { done: (outcome) => void outcomes.push(outcome) };
        },
      },
    );
    const sent = failing();
    await clock.untilPending(1);
    await clock.advance(250);
    expect(await sent).toMatchObject({ kind: "upstream_error", status: 503 });
    expect(server.requests).toHaveLength(1);
    expect(outcomes).toEqual([{ throttled: false, hintMs: undefined }, { throttled: false }]);
  });

  test("ends a retry's wait in the queue of the pace, which loses no turn by it", async () => {
    const server = await startScriptedServer(answering(503));
    const queued: AbortSignal[] = [];
    const { failing, clock } = createClient(
      { baseUrl: server.url },
      {
        admit: (_endpoint, _target, signal) => {
          queued.push(signal);
          if (queued.length === 1) return Promise.resolve({ done: () => {} });
          return clock.sleep(60_000, signal).then(() => ({ done: () => {} }));
        },
      },
    );
    const sent = failing();
    await clock.untilPending(1);
    const begin = clock.monotonic();
    await clock.advance(30_000);
    expect(await sent).toMatchObject({ kind: "upstream_error", status: 503 });
    expect(clock.monotonic() - begin).toBe(30_000);
    expect(queued[1]?.aborted).toBe(true);
    expect(clock.pending()).toEqual([]);
  });

  test("bounds an attempt, too", async () => {
    const server = await startScriptedServer(() => {});
    const { failing, clock } = createClient({ baseUrl: server.url, deadlineMs: 100 });
    expect(await failing()).toMatchObject({
      kind: "timeout",
      message: 'Cannot read key "billing": no complete answer within 100 ms',
    });
    expect(clock.pending()).toEqual([]);
  });
});

describe("createHttp: the pace", () => {
  test("fails with what the pace says before the first attempt", async () => {
    const server = await startScriptedServer(ok);
    const paused = new Error("Cannot poll now");
    const { failing } = createClient({ baseUrl: server.url }, { admit: () => Promise.reject(paused) });
    expect(await failing()).toBe(paused);
    expect(server.requests).toEqual([]);
  });

  test("fails of the last attempt when the pace lets no other through", async () => {
    const server = await startScriptedServer(answering(503));
    let admitted = 0;
    const { failing, clock } = createClient(
      { baseUrl: server.url },
      {
        admit: (endpoint, target) => {
          expect([endpoint, target]).toEqual(["key", "key/billing"]);
          admitted += 1;
          return admitted > 1 ? Promise.reject(new Error("Paused")) : Promise.resolve({ done: () => {} });
        },
      },
    );
    const sent = failing();
    await clock.untilPending(1);
    await clock.advance(250);
    expect(await sent).toMatchObject({ kind: "upstream_error", status: 503 });
    expect(server.requests).toHaveLength(1);
  });
});

describe("createHttp: a signal that is aborted", () => {
  const reason = new Error("The exporter stops");

  test("before the call: nothing is sent", async () => {
    const { server, failing } = await clientOf(ok);
    expect(await failing({}, AbortSignal.abort(reason))).toBe(reason);
    expect(server.requests).toEqual([]);
  });

  test("while the gateway thinks", async () => {
    const controller = new AbortController();
    const { server, failing, outcomes, answers } = await clientOf(() => controller.abort(reason));
    expect(await failing({}, controller.signal)).toBe(reason);
    expect(server.requests).toHaveLength(1);
    expect(outcomes).toHaveLength(1);
    expect(answers).toEqual([]);
  });

  test("in the middle of the body", async () => {
    const controller = new AbortController();
    const { failing, outcomes } = await clientOf((response) => {
      response.write('{"data"', () => controller.abort(reason));
    });
    expect(await failing({}, controller.signal)).toBe(reason);
    expect(outcomes).toHaveLength(1);
  });

  test("while the call waits for its next attempt", async () => {
    const controller = new AbortController();
    const { server, failing, clock } = await clientOf(answering(503), ok);
    const sent = failing({}, controller.signal);
    await clock.untilPending(1);
    controller.abort(reason);
    expect(await sent).toBe(reason);
    expect(server.requests).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });
});
