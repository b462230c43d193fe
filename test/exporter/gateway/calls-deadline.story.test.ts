import { describe, expect, test } from "vitest";
import type { SecretSource } from "../../../exporter/secrets/secret.ts";
import { PausedError } from "../../../exporter/gateway/errors.ts";
import type { Permits, RequestOutcome } from "../../../exporter/gateway/port.ts";
import { answering, startScriptedServer, type Step } from "../../support/scripted-server.ts";
import { createClient, startClient, PLANTED } from "../../support/gateway-client.ts";
import { secretSource } from "../../support/test-config.ts";

const ok = answering(200, { data: { usage: 1 } });

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
    const server = await startScriptedServer(ok);
    const paused = new PausedError("key/billing");
    const { failing } = createClient({ baseUrl: server.url }, { next: () => Promise.reject(paused) });
    expect(await failing()).toBe(paused);
    expect(server.requests).toEqual([]);
  });
});

describe("createSend: a credential that cannot be read", () => {
  test("fails the call before anything is sent, and releases the permit", async () => {
    const { server, failing, answers, outcomes } = await startClient(ok);
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
    const { server, failing, clock } = await startClient(answering(503), ok);
    const sent = failing({}, { signal: controller.signal });
    await clock.untilPending(1);
    controller.abort(reason);
    expect(await sent).toBe(reason);
    expect(server.requests).toHaveLength(1);
    expect(clock.pending()).toEqual([]);
  });

  test("while the call waits for its next permit", async () => {
    const controller = new AbortController();
    const server = await startScriptedServer(answering(503), ok);
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
