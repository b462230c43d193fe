import { describe, expect, test } from "vitest";
import { Secret } from "../../../exporter/secrets/secret.ts";
import { answering } from "../../support/scripted-server.ts";
import { startClient, PLANTED } from "../../support/gateway-client.ts";

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
    expect(await failing()).toMatchObject({ kind: "rate_limited", retryAfterMs: 30_000 });
    expect(server.requests).toHaveLength(1);
    expect(outcomes).toEqual([{ answered: true, throttled: true, retryAfterMs: 30_000 }]);
    expect(clock.pending()).toEqual([]);
  });
});

/** Gives the first permit at once and each later one after `later`; outcomes are recorded. */
