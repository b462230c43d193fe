import type { HitLimit, Refusal } from "./refusal.ts";
import type { Switches } from "./switches.ts";

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

/** The error answer of section 7, in the format configured by the switches. */
export function refusalAnswer(refusal: Refusal, switches: Switches, now: number): Answer {
  const headers: Record<string, string> = {};
  let metadata = refusal.metadata;
  if (refusal.retryAfterSeconds !== undefined && switches.retryAfter !== "absent") {
    headers["Retry-After"] =
      switches.retryAfter === "seconds"
        ? String(refusal.retryAfterSeconds)
        : new Date(now + refusal.retryAfterSeconds * 1000).toUTCString();
  }
  if (refusal.hitLimit !== undefined) {
    const limitHeaders = rateLimitHeaders(refusal.hitLimit, switches);
    if (switches.rateLimitReset === "metadata") metadata = { ...metadata, headers: limitHeaders };
    else Object.assign(headers, limitHeaders);
  }
  const { status, message } = refusal;
  const error = { code: status, message, ...(metadata && { metadata }) };
  return {
    status,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ error }),
  };
}

/** The reset is an epoch in milliseconds (rules for 429; some services send seconds). */
function rateLimitHeaders(hit: HitLimit, switches: Switches): Record<string, string> {
  const reset = switches.rateLimitReset === "seconds" ? Math.ceil(hit.resetAt / 1000) : hit.resetAt;
  return {
    "X-RateLimit-Limit": String(hit.limit),
    "X-RateLimit-Remaining": String(hit.remaining),
    "X-RateLimit-Reset": String(reset),
  };
}
