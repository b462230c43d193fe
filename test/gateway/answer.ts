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
  const body = errorBody(refusal, metadata, switches.errorBody);
  return { status: refusal.status, headers: { "Content-Type": body.type, ...headers }, body: body.text };
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

function errorBody(refusal: Refusal, metadata: Refusal["metadata"], form: Switches["errorBody"]): ErrorBody {
  const { status: code, message } = refusal;
  const more = metadata === undefined ? {} : { metadata };
  switch (form) {
    case "envelope":
      return json({ error: { code, message, ...more } });
    case "without_code":
      return json({ error: { message, ...more } });
    case "success_false":
      return json({ success: false, error: { code, message, ...more } });
    case "html":
      return { type: "text/html", text: `<html><head><title>${code}</title></head><body>edge</body></html>` };
    case "empty":
      return { type: "text/plain", text: "" };
  }
}

type ErrorBody = { readonly type: string; readonly text: string };

function json(value: unknown): ErrorBody {
  return { type: "application/json", text: JSON.stringify(value) };
}
