import { type FailureReason, GatewayError } from "../../../exporter/gateway/errors.ts";
import type { Caller, Gateway, RequestOutcome } from "../../../exporter/gateway/port.ts";
import type { Clock } from "../../../exporter/time/clock.ts";
import { NO_ANSWERS } from "../../support/fake-client.ts";
import type { KeyInformation } from "../../../exporter/gateway/account.ts";

/** The outcome of one request. `ms` is its duration. */
export type Answer =
  | { readonly ms?: number; readonly credits: number }
  | { readonly ms?: number; readonly failure: FailureReason; readonly retryAfterMs?: number }
  | "never";

export interface FakeGateway extends Gateway {
  /** The targets of the requests, with their times in milliseconds of the monotonic clock. */
  readonly requests: [name: string, at: number][];
  readonly underWay: number;
}

/** A gateway with scripted answers, without a network. It waits for permits like the adapter. */
export function createFakeGateway(clock: Clock, answerTo: (name: string) => Answer): FakeGateway {
  const requests: [string, number][] = [];
  let underWay = 0;

  async function currentKey({ name, permits, signal }: Caller): Promise<KeyInformation> {
    const permit = await permits.next(signal, "request");
    let outcome: RequestOutcome = { answered: false, throttled: false };
    requests.push([name, clock.monotonic()]);
    underWay++;
    try {
      const answer = answerTo(name);
      await (answer === "never" ? endOf(signal) : clock.sleep(answer.ms ?? 0, signal));
      if (answer === "never") throw signal.reason;
      outcome = outcomeOf(answer);
      if ("failure" in answer) throw new GatewayError(answer.failure, `Cannot read key "${name}"`);
      return keyInformation({ usage: { ...keyInformation().usage, total: answer.credits } });
    } finally {
      underWay--;
      permit.release(outcome);
    }
  }

  return {
    requests,
    get underWay() {
      return underWay;
    },
    clientFor: (caller) => ({
      ...NO_ANSWERS,
      currentKey: () => currentKey(caller),
    }),
    close: () => Promise.resolve(),
  };
}

function outcomeOf(answer: Exclude<Answer, "never">): RequestOutcome {
  if (!("failure" in answer)) return { answered: true, throttled: false };
  const { failure, retryAfterMs } = answer;
  return { answered: failure !== "network", throttled: failure === "rate_limited", retryAfterMs };
}

function endOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** An answer about a key of which only these fields are known: a new field concerns no test that does not name it. */
function keyInformation(known: Partial<KeyInformation> = {}): KeyInformation {
  return {
    label: undefined,
    limitCredits: undefined,
    limitReset: undefined,
    remainingCredits: undefined,
    byokInLimit: undefined,
    usage: NO_SPEND,
    byokUsage: NO_SPEND,
    freeTier: undefined,
    expiresAtMs: undefined,
    freeRequests: { limit: undefined, used: undefined, remaining: undefined },
    ...known,
  };
}

const NO_SPEND = { total: undefined, day: undefined, week: undefined, month: undefined };
