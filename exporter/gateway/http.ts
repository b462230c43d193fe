import Pool from "undici/lib/dispatcher/pool.js";
import type { Clock } from "../time/clock.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { Secret, SecretSource } from "../config/secret.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { GatewayError } from "./errors.ts";
import { createLargeAnswers, LARGE_ANSWER } from "./large-answers.ts";
import { receive } from "./reception.ts";
import { encodeBody } from "./request-body.ts";
import { retryDelay } from "./retry.ts";
import { transportError } from "./transport-error.ts";

/** The operations of the contract that are called; the label `endpoint`. */
export const ENDPOINTS = ["key", "analytics", "transcription"] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

export interface Call {
  readonly endpoint: Endpoint;
  /** Who asks, for the pace: a server's hint silences this one first. */
  readonly target: string;
  /** What is being done, for messages: `read key "billing"`. */
  readonly action: string;
  readonly method: "GET" | "POST";
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  /** A form, or what is sent as JSON. */
  readonly body?: object;
  /** The call may cost money: it is sent once, with this time instead of that of the configuration. Milliseconds. */
  readonly onceWithinMs?: number;
  readonly secret: SecretSource;
}

/** Leave to send one request. Whoever got it says how it ended. */
export interface Ticket {
  done(outcome: { readonly throttled: boolean; readonly hintMs?: number | undefined }): void;
}

export interface HttpDependencies {
  readonly clock: Clock;
  /** Of the exporter, which tells the gateway what it is. */
  readonly version: string;
  /** In [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** Waits for the pace; rejects when the endpoint or the target is to be left alone. */
  readonly admit: (endpoint: Endpoint, target: string, signal: AbortSignal) => Promise<Ticket>;
  /** Told of each request that was sent: the HTTP status, or `none` when there was no answer. */
  readonly onAnswer: (endpoint: Endpoint, code: string) => void;
}

export interface Http {
  /**
   * Sends the call, with retries within its deadline, and returns the parsed JSON body of a 2xx answer.
   * @throws GatewayError when there is no usable answer; the signal's reason when it is aborted; what `admit` throws.
   */
  send(call: Call, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/** The only door to the gateway: authentication, time-outs, body cap, retries (contract 5 and 7). */
export function createHttp(config: GatewayConfig, dependencies: HttpDependencies): Http {
  const { origin, pathname } = new URL(config.baseUrl);
  const root = pathname === "/" ? "" : pathname;
  const common = ["accept", "application/json", "user-agent", `aigateway-exporter/${dependencies.version}`];
  const pool = new Pool(origin, {
    connections: config.connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connect: { timeout: config.timeoutMs },
    // Each attempt has its own limit, over all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: config.maxBodyBytes,
  });

  const turnOfLargeAnswer = createLargeAnswers();

  async function send(call: Call, signal: AbortSignal): Promise<unknown> {
    const secret = await secretOf(call);
    let deadline: number | undefined;
    let failure: GatewayError | undefined;
    for (let attempts = 1; ; attempts++) {
      const ticket = await admit(call, signal, deadline).catch((refused: unknown) => {
        // Once an attempt was made, the call has failed of that and not of the wait.
        throw signal.aborted ? signal.reason : (failure ?? refused);
      });
      // Time spent in the queue of the pace is not the gateway's fault: the deadline starts with the first attempt.
      deadline ??= dependencies.clock.monotonic() + (call.onceWithinMs ?? config.deadlineMs);
      const remainingMs = deadline - dependencies.clock.monotonic();
      if (failure && remainingMs <= 0) {
        ticket.done({ throttled: false });
        throw failure;
      }
      const limitMs = Math.ceil(Math.min(call.onceWithinMs ?? config.timeoutMs, remainingMs));
      const outcome = await attempt(call, secret, signal, limitMs, ticket);
      if (!(outcome instanceof GatewayError)) return outcome.body;
      failure = outcome;
      const delayMs = retryDelay(
        {
          retryable: failure.retryable && call.onceWithinMs === undefined,
          hintMs: failure.hintMs,
          attempts,
          remainingMs: deadline - dependencies.clock.monotonic(),
        },
        dependencies.random,
      );
      if (delayMs === undefined) throw failure;
      await dependencies.clock.sleep(delayMs, signal);
    }
  }

  /** A retry does not queue beyond the deadline: its turn is another's then. */
  async function admit(call: Call, signal: AbortSignal, deadline: number | undefined): Promise<Ticket> {
    const { endpoint, target } = call;
    if (deadline === undefined) return dependencies.admit(endpoint, target, signal);
    const patience = new AbortController();
    const remainingMs = deadline - dependencies.clock.monotonic();
    const cancel = dependencies.clock.after(remainingMs, () => patience.abort());
    return dependencies.admit(endpoint, target, AbortSignal.any([signal, patience.signal])).finally(cancel);
  }

  async function attempt(
    call: Call,
    secret: Secret,
    signal: AbortSignal,
    limitMs: number,
    ticket: Ticket,
  ): Promise<{ body: unknown } | GatewayError> {
    let throttled = false;
    let hintMs: number | undefined;
    try {
      const answer = await exchange(call, secret, signal, limitMs);
      if (answer.text.length > LARGE_ANSWER) await turnOfLargeAnswer();
      dependencies.onAnswer(call.endpoint, String(answer.status));
      throttled = answer.status === 429;
      const outcome = readAnswer(answer, call.action, secret, dependencies.clock.now());
      if (outcome instanceof GatewayError) hintMs = outcome.hintMs;
      return outcome;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      dependencies.onAnswer(call.endpoint, "none");
      return transportError(call.action, error, limitMs, config.maxBodyBytes);
    } finally {
      ticket.done({ throttled, hintMs });
    }
  }

  async function exchange(call: Call, secret: Secret, signal: AbortSignal, limitMs: number): Promise<Answer> {
    const body = call.body && encodeBody(call.body);
    const headers = ["authorization", `Bearer ${secret.reveal()}`, ...common];
    if (body) headers.push("content-type", body.contentType);
    const { method } = call;
    // The raw handler costs half of what a response as a stream does.
    return receive(
      (reception) =>
        pool.dispatch({ path: root + call.path, method, headers, body: body?.content ?? null }, reception),
      signal,
      limitMs,
    );
  }

  return { send, close: () => pool.destroy() };
}

/** Idle connections are kept across the requests of a round that is spread over its interval. */
const KEEP_ALIVE_MS = 30_000;

async function secretOf(call: Call): Promise<Secret> {
  try {
    return await call.secret.read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GatewayError("secret_unreadable", `Cannot ${call.action}: ${why}`, { cause: error });
  }
}
