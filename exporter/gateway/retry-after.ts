import { z } from "zod";
import { epochMilliseconds, utcMilliseconds } from "../time/utc-time.ts";

/** The parts of a response that may ask the client to wait. */
export interface RetryAfterSource {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body, if it is JSON. */
  readonly body: unknown;
  readonly nowMs: number;
}

/** Some services send the rate-limit headers in the body only (observed-behaviour 16). */
export const BodyHeaders = z.object({
  error: z.object({
    metadata: z.object({ headers: z.custom<object>((value) => typeof value === "object" && value !== null) }),
  }),
});

/**
 * The wait that the server requests, milliseconds. `Retry-After` (seconds or HTTP date) overrides `X-RateLimit-Reset`
 * (epoch), and a header overrides the body. Undefined if the server requests no wait, the value is unreadable, or its
 * time has passed. Only 429 and 503 request a wait.
 */
export function retryAfter(source: RetryAfterSource): number | undefined {
  if (source.status !== 429 && source.status !== 503) return undefined;
  const inBody = BodyHeaders.safeParse(source.body);
  const valueOf = (name: string) =>
    textOf(source.headers, name) ??
    (inBody.success ? textOf(inBody.data.error.metadata.headers, name) : undefined);
  return (
    positive(waitOf(valueOf("retry-after"), source.nowMs)) ??
    positive(waitUntilReset(valueOf("x-ratelimit-reset"), source.nowMs))
  );
}

/** The first value of a header, whose name may be written in any case. */
function textOf(headers: object, name: string): string | undefined {
  const written = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  const value: unknown = written === undefined ? undefined : Reflect.get(headers, written);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" || typeof first === "number" ? String(first) : undefined;
}

function waitOf(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text) * 1000;
  return (utcMilliseconds(text) ?? httpDate(text)) - nowMs;
}

/** An HTTP date is always in GMT, even in the obsolete form without a zone. */
function httpDate(text: string): number {
  if (!/^\s*(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return Number.NaN;
  return Date.parse(/(gmt|utc)\s*$/i.test(text) ? text : `${text} GMT`);
}

function waitUntilReset(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return epochMilliseconds(Number(text)) - nowMs;
}

function positive(ms: number | undefined): number | undefined {
  // A number with too many digits is infinite: a long wait, too.
  return ms !== undefined && ms > 0 ? Math.min(ms, Number.MAX_SAFE_INTEGER) : undefined;
}
