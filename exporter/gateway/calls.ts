import type { GatewayConfig } from "../config/config.ts";
import type { Secret, SecretSource } from "../secrets/secret.ts";
import type { Clock } from "../time/clock.ts";
import { GatewayError } from "./errors.ts";
import { type Http, type HttpRequest, readSecret } from "./http.ts";
import type { Caller, Permit, RequestOutcome } from "./port.ts";

/** One call: a request with its retries. */
export interface Call extends HttpRequest {
  readonly secret: SecretSource;
  /**
   * The call may cost money, so it is sent once, with this time limit instead of the configured ones. Milliseconds.
   */
  readonly onceWithinMs?: number;
}

/**
 * Sends a call with retries, and returns the parsed JSON body of a 2xx response. The deadline of the run begins with
 * its first permit; every later wait counts against it.
 * @throws GatewayError if there is no usable answer; the signal's reason if it is aborted; errors of `permits`.
 */
export type Send = (call: Call) => Promise<unknown>;

export interface CallDependencies {
  readonly http: Pick<Http, "attempt">;
  readonly clock: Clock;
  /** In [0, 1), for the jitter of retries. */
  readonly random: () => number;
}

/**
 * Creates the function that sends the calls of one run, with permits, credential, deadline and retries (contract 5
 * and 7).
 */
export function createSend(
  caller: Caller,
  config: Pick<GatewayConfig, "timeoutMs" | "deadlineMs">,
  { http, clock, random }: CallDependencies,
): Send {
  let startedAt: number | undefined;

  const deadlineOf = (call: Call) => call.onceWithinMs ?? config.deadlineMs;
  const remainingMs = (call: Call) =>
    deadlineOf(call) - (clock.monotonic() - (startedAt ?? clock.monotonic()));
  const limitMs = (call: Call) =>
    Math.ceil(Math.min(call.onceWithinMs ?? config.timeoutMs, remainingMs(call)));

  /** The wait for the first permit of a run has no limit; later waits end at the deadline. */
  function nextPermit(call: Call, attempts: number): Promise<Permit> {
    const { permits, signal } = caller;
    const purpose = attempts === 1 ? "request" : "retry";
    if (startedAt === undefined) return permits.next(signal, purpose);
    const patience = new AbortController();
    const cancel = clock.after(remainingMs(call), () => patience.abort(tooLate(call, deadlineOf(call))));
    return permits.next(AbortSignal.any([signal, patience.signal]), purpose).finally(cancel);
  }

  async function send(call: Call): Promise<unknown> {
    let secret: Secret | undefined;
    let failure: GatewayError | undefined;
    for (let attempts = 1; ; attempts++) {
      const permit = await nextPermit(call, attempts).catch((refused: unknown) => {
        // After an attempt, the call failed for the attempt's reason, not because of the wait.
        throw caller.signal.aborted ? caller.signal.reason : (failure ?? refused);
      });
      startedAt ??= clock.monotonic();
      let outcome: RequestOutcome = NOT_ANSWERED;
      try {
        if (remainingMs(call) <= 0) throw failure ?? tooLate(call, deadlineOf(call));
        secret ??= await readSecret(call);
        const attemptMs = Math.max(1, limitMs(call));
        const result = await http.attempt(call, secret, caller, attemptMs);
        outcome = outcomeOf(result);
        if (!(result instanceof GatewayError)) return result.body;
        // An attempt that the deadline cut short does not explain the failure.
        const isCut = result.kind === "timeout" && !outcome.answered && attemptMs < config.timeoutMs;
        failure = isCut ? (failure ?? result) : result;
      } finally {
        permit.release(outcome);
      }
      if (call.onceWithinMs !== undefined) throw failure;
      const delayMs = retryDelay(failure, attempts, remainingMs(call), random);
      if (delayMs === undefined) throw failure;
      await clock.sleep(delayMs, caller.signal);
    }
  }

  return send;
}

export const NOT_ANSWERED: RequestOutcome = { answered: false, throttled: false };

export function outcomeOf(result: GatewayError | { readonly body: unknown }): RequestOutcome {
  if (!(result instanceof GatewayError)) return { answered: true, throttled: false };
  const { status, details } = result;
  const { retryAfterMs } = details;
  return { answered: status !== undefined, throttled: status === 429, retryAfterMs };
}

function tooLate({ action }: Call, deadlineMs: number): GatewayError {
  return new GatewayError("timeout", `Cannot ${action}: no request could be sent within ${deadlineMs} ms`);
}

const MAX_ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 8_000;

/**
 * Milliseconds to wait before the next attempt; undefined if there must be no other attempt: not retryable, out of
 * attempts, or the wait would pass the deadline. Exponential backoff with full jitter (contract 7, rule 4), unless the
 * server says how long to wait; `random` is in [0, 1).
 */
export function retryDelay(
  { retryable, details }: Pick<GatewayError, "retryable" | "details">,
  attempts: number,
  remainingMs: number,
  random: () => number,
): number | undefined {
  if (!retryable || attempts >= MAX_ATTEMPTS) return undefined;
  const ceiling = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempts - 1));
  const delayMs = details.retryAfterMs ?? random() * ceiling;
  return delayMs < remainingMs ? delayMs : undefined;
}
