import type { HitLimit, Refusal } from "./refusal.ts";

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Real milliseconds before the answer is sent. */
  readonly delayMs?: number;
};

export function jsonAnswer(body: unknown, status = 200): Answer {
  return { status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

/** The error answer of section 7. */
export function refusalAnswer({ status, message, metadata, hitLimit, retryAfterSeconds }: Refusal): Answer {
  const error = { code: status, message, ...(metadata && { metadata }) };
  return {
    status,
    headers: {
      "Content-Type": "application/json",
      ...(retryAfterSeconds !== undefined && { "Retry-After": String(retryAfterSeconds) }),
      ...(hitLimit && rateLimitHeaders(hitLimit)),
    },
    body: JSON.stringify({ error }),
  };
}

/** The reset is an epoch in milliseconds (rules for 429). */
function rateLimitHeaders({ limit, remaining, resetAt }: HitLimit): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(resetAt),
  };
}
