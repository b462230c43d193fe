import { redact } from "../secrets/redact.ts";

/** Why a run failed, a closed set: the label `reason` of `aigateway_exporter_poll_failures_total`. */
export const FAILURE_REASONS = [
  "unauthorized",
  "payment_required",
  "forbidden",
  "rate_limited",
  "timeout",
  "upstream_error",
  "bad_request",
  "bad_response",
  "network",
  "secret_unreadable",
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

interface Details {
  readonly status?: number | undefined;
  /** How long the server asked to wait (`Retry-After`, `X-RateLimit-Reset`), milliseconds from the answer. */
  readonly retryAfterMs?: number | undefined;
  /** The limit behind a refusal (402, 403) and why it refuses, as the service names them. */
  readonly limitSource?: string | undefined;
  readonly refusalReason?: string | undefined;
  /** The message that the gateway sent, one safe line. */
  readonly sent?: string | undefined;
  /** The title of the web page that came instead of JSON, empty without one; for XML, `XML` and its code. */
  readonly page?: string | undefined;
  /** Whether a plain text came instead of JSON. */
  readonly isText?: boolean;
  /** The code of the network's error. */
  readonly code?: string | undefined;
  /** The proxy on the way to the gateway, and the status with which it refused. */
  readonly proxy?: string | undefined;
  readonly proxyStatus?: number | undefined;
  readonly cause?: unknown;
}

/** The code of the HTTP client. */
export const TOO_LARGE = "UND_ERR_RES_EXCEEDED_MAX_SIZE";

/** A call without a usable answer from the gateway. The message never contains a secret. */
export class GatewayError extends Error {
  readonly kind: FailureReason;
  /** HTTP status; undefined without an answer. */
  readonly status: number | undefined;
  readonly details: Details;

  constructor(kind: FailureReason, message: string, details: Details = {}) {
    super(redact(message), { cause: details.cause });
    this.name = "GatewayError";
    this.kind = kind;
    this.status = details.status;
    this.details = details;
  }

  /** Whether the answer is larger than `gateway.max_body`. */
  get isTooLarge(): boolean {
    return this.details.code === TOO_LARGE;
  }

  /** Whether the same request may succeed in a moment: 408, 429, 5xx, our own time-out, the network (contract 7). */
  get retryable(): boolean {
    return RETRYABLE.has(this.kind);
  }
}

/** The gateway asked to wait, so the run is skipped. This is not a failure. */
export class PausedError extends Error {
  constructor(target: string) {
    super(`Cannot poll "${target}" now: the gateway asked to wait`);
    this.name = "PausedError";
  }
}

const RETRYABLE: ReadonlySet<FailureReason> = new Set([
  "rate_limited",
  "timeout",
  "upstream_error",
  "network",
]);

/** The reason for a status that is not a success (contract 7); a redirect is not followed, so it is a bad response. */
export function reasonOfStatus(status: number): FailureReason {
  switch (status) {
    case 401:
      return "unauthorized";
    case 402:
      return "payment_required";
    case 403:
      return "forbidden";
    case 429:
      return "rate_limited";
    case 408:
    case 504:
    case 524:
      return "timeout";
    default:
      if (status >= 500) return "upstream_error";
      return status >= 400 ? "bad_request" : "bad_response";
  }
}

/** The answer; undefined if the service has no such operation. */
export async function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GatewayError && NOT_OFFERED.has(error.status ?? 0)) return undefined;
    throw error;
  }
}

/** Statuses of an operation that the service does not have (vendor-2026-10, 5). */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);
