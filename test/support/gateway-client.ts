import { onTestFinished } from "vitest";
import type { GatewayConfig } from "../../exporter/config/config.ts";
import { type Call, createHttp, type HttpDependencies, type Ticket } from "../../exporter/gateway/http.ts";
import { createManualClock } from "./clock.ts";
import { secretSource, testGatewayConfig } from "./test-config.ts";

/** What `done` was told of each ticket. */
type Outcome = Parameters<Ticket["done"]>[0];

/** An HTTP client of the gateway with a manual clock, no pace and a jitter of one half, that keeps what it tells. */
export function createClient(config: Partial<GatewayConfig>, changes: Partial<HttpDependencies> = {}) {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const answers: string[] = [];
  const outcomes: Outcome[] = [];
  const http = createHttp(testGatewayConfig(config), {
    clock,
    version: "1.2.3",
    random: () => 0.5,
    admit: () => Promise.resolve({ done: (outcome) => void outcomes.push(outcome) }),
    onAnswer: (endpoint, code) => void answers.push(`${endpoint} ${code}`),
    ...changes,
  });
  onTestFinished(() => http.close());
  const send = (call: Partial<Call> = {}, signal = NEVER) => http.send({ ...CALL, ...call }, signal);
  /** What the call fails of. */
  const failing = (call: Partial<Call> = {}, signal = NEVER): Promise<unknown> =>
    send(call, signal).then(
      (body) => Promise.reject(new Error(`Want a failure: ${JSON.stringify(body)}`)),
      (error: unknown) => error,
    );
  /** Waits for what is tried again, with no time lost between its attempts. */
  const throughRetries = async <T>(sent: Promise<T>): Promise<T> => {
    const ended = sent.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([ended, clock.untilPending(1).then(() => false)]))) await clock.advance(1000);
    return sent;
  };
  const failingEachTime = (call: Partial<Call> = {}) => throughRetries(failing(call));
  return { http, clock, answers, outcomes, send, failing, failingEachTime, throughRetries };
}

/** The credential that must never be seen in anything but a header. */
export const PLANTED = "sk-planted-0123456789abcdef";

const NEVER = new AbortController().signal;

const CALL: Call = {
  endpoint: "key",
  target: "key/billing",
  action: 'read key "billing"',
  method: "GET",
  path: "/key",
  secret: secretSource(PLANTED),
};
