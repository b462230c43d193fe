import { z } from "zod";
import { utcMilliseconds } from "../time/utc-time.ts";

/** The parts of an answer that may carry a server's wish to be left alone. */
export interface HintSource {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body, if it is JSON. */
  readonly body: unknown;
  readonly nowMs: number;
}

/** Epoch values from here on are milliseconds, below seconds (observed-behaviour 16). */
const FIRST_MILLISECOND_EPOCH = 100_000_000_000;

/** Some services put the rate-limit headers into the body alone (observed-behaviour 16). */
const BodyHeaders = z.object({
  error: z.object({
    metadata: z.object({ headers: z.record(z.string(), z.unknown()) }),
  }),
});

/**
 * Milliseconds that the server asks to wait: `Retry-After` (seconds or HTTP date) before `X-RateLimit-Reset` (epoch),
 * in the headers before the body. Undefined when there is no hint, it cannot be read, or its time has passed.
 * Only 429 and 503 carry hints.
 */
export function waitHint(source: HintSource): number | undefined {
  if (source.status !== 429 && source.status !== 503) return undefined;
  const headers = new Map<string, string>();
  const inBody = BodyHeaders.safeParse(source.body);
  if (inBody.success) {
    for (const [name, value] of Object.entries(inBody.data.error.metadata.headers)) {
      if (typeof value === "string" || typeof value === "number")
        headers.set(name.toLowerCase(), String(value));
    }
  }
  for (const [name, value] of Object.entries(source.headers)) {
    const text = Array.isArray(value) ? value[0] : value;
    if (text !== undefined) headers.set(name.toLowerCase(), text);
  }
  return (
    positive(retryAfter(headers.get("retry-after"), source.nowMs)) ??
    positive(resetAt(headers.get("x-ratelimit-reset"), source.nowMs))
  );
}

function retryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text) * 1000;
  return (utcMilliseconds(text) ?? httpDate(text)) - nowMs;
}

/** A date of HTTP is in GMT even in the old form that does not say so, never in the machine's own zone. */
function httpDate(text: string): number {
  if (!/^\s*(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return Number.NaN;
  return Date.parse(/(gmt|utc)\s*$/i.test(text) ? text : `${text} GMT`);
}

function resetAt(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  const epoch = Number(text);
  return (epoch >= FIRST_MILLISECOND_EPOCH ? epoch : epoch * 1000) - nowMs;
}

function positive(ms: number | undefined): number | undefined {
  return ms !== undefined && Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
