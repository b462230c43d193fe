import { onTestFinished } from "vitest";
import type { GatewayConfig } from "../../exporter/config/config.ts";
import { type Call, createSend } from "../../exporter/gateway/calls.ts";
import { createGateway } from "../../exporter/gateway/gateway.ts";
import { createHttp } from "../../exporter/gateway/http.ts";
import type { Caller, Permits, RequestOutcome } from "../../exporter/gateway/port.ts";
import { createManualClock } from "./clock.ts";
import { startScriptedServer, type Step } from "./scripted-server.ts";
import { secretSource, testGatewayConfig } from "./test-config.ts";
import type { FailureReason } from "../../exporter/gateway/errors.ts";

/**
 * The gateway's adapter with a manual clock, unlimited permits and a jitter of one half. Records what the adapter
 * reports.
 */
export function createClient(config: Partial<GatewayConfig>, permits?: Permits) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const answers: string[] = [];
  const outcomes: RequestOutcome[] = [];
  const full = testGatewayConfig(config);
  const dependencies = {
    clock,
    version: "1.2.3",
    random: () => 0.5,
    onAnswer: (endpoint: string, code: string) => void answers.push(`${endpoint} ${code}`),
  };
  const http = createHttp(full, dependencies);
  const gateway = createGateway(full, dependencies);
  onTestFinished(async () => {
    await Promise.all([http.close(), gateway.close()]);
  });
  const caller = (change: Partial<Caller> = {}): Caller => ({
    endpoint: "key",
    name: "billing",
    permits: permits ?? unlimitedPermits(outcomes),
    signal: NEVER,
    ...change,
  });
  /** A client for one run. */
  const clientFor = (change?: Partial<Caller>) => gateway.clientFor(caller(change));
  const send = (call: Partial<Call> = {}, change?: Partial<Caller>) =>
    createSend(caller(change), full, { http, clock, random: dependencies.random })({ ...CALL, ...call });
  /** The error of a failing call. */
  const failing = (call: Partial<Call> = {}, change?: Partial<Caller>): Promise<unknown> =>
    send(call, change).then(
      (body) => Promise.reject(new Error(`Want a failure: ${JSON.stringify(body)}`)),
      (error: unknown) => error,
    );
  /** Waits for a retried call, without delay between its attempts. */
  const throughRetries = async <T>(sent: Promise<T>): Promise<T> => {
    const ended = sent.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([ended, clock.untilPending(1).then(() => false)]))) await clock.advance(1000);
    return sent;
  };
  const failingEachTime = (call: Partial<Call> = {}) => throughRetries(failing(call));
  return { clientFor, clock, answers, outcomes, send, failing, failingEachTime, throughRetries };
}

/** The same against a server that takes one step for each request. */
export async function startClient(...steps: readonly Step[]) {
  const server = await startScriptedServer(...steps);
  return { server, ...createClient({ baseUrl: `${server.url}/api/v1` }) };
}

/** Permits without any wait; each outcome is recorded. */
function unlimitedPermits(outcomes: RequestOutcome[] = []): Permits {
  return {
    next: () => Promise.resolve({ release: (outcome) => void outcomes.push(outcome) }),
  };
}

/** The credential that must never appear in anything but a header. */
export const PLANTED = "sk-planted-0123456789abcdef";

const NEVER = new AbortController().signal;

const CALL: Call = {
  action: 'read key "billing"',
  method: "GET",
  path: "/key",
  secret: secretSource(PLANTED),
};

/** Every status with which `POST /audio/transcriptions` may fail (contract 7), and the reason that is reported. */
export const TRANSCRIPTION_FAILURES: readonly (readonly [status: number, reason: FailureReason])[] = [
  [400, "bad_request"],
  [401, "unauthorized"],
  [402, "payment_required"],
  [403, "forbidden"],
  [404, "bad_request"],
  [413, "bad_request"],
  [429, "rate_limited"],
  [500, "upstream_error"],
  [502, "upstream_error"],
  [503, "upstream_error"],
  [504, "timeout"],
  [524, "timeout"],
  [529, "upstream_error"],
];
