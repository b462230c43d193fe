import type { Fault } from "../gateway/faults.ts";
import { timeoutMs } from "./plan.ts";

/** The faults of one key, each for one poll interval. */
export function keyFaults(intervalMs: number): readonly Fault[] {
  const tooLateMs = Math.floor(1.2 * timeoutMs(intervalMs));
  return [
    ...[401, 402, 403, 404, 408, 500, 502, 504, 524, 529].map((status): Fault => ({
      kind: "status",
      status,
      endpoint: "key",
    })),
    { kind: "status", status: 429, origin: "provider", retryAfterSeconds: 2, endpoint: "key" },
    { kind: "status", status: 503, headers: { "Retry-After": "1" }, endpoint: "key" },
    { kind: "slow", delayMs: tooLateMs, endpoint: "key" },
    { kind: "slow", delayMs: intervalMs / 100, endpoint: "key" },
    { kind: "drip", everyMs: 10, bytesAtOnce: 64, endpoint: "key" },
    { kind: "cut", endpoint: "key" },
    { kind: "reset", endpoint: "key" },
    { kind: "garbage", form: "html", endpoint: "key" },
    { kind: "garbage", form: "not_json", endpoint: "key" },
    { kind: "garbage", form: "half_json", endpoint: "key" },
    { kind: "garbage", form: "empty", endpoint: "key" },
    { kind: "oversize", bytes: 2_000_000, endpoint: "key" },
    { kind: "redirect", location: "http://127.0.0.1:9/", endpoint: "key" },
    { kind: "body", body: '{"data":[]}', endpoint: "key" },
    { kind: "fields", set: { "data.usage": "a lot" }, endpoint: "key" },
    { kind: "fields", remove: ["data.usage_daily", "data.limit_remaining"], endpoint: "key" },
  ];
}

/** Every key is throttled; the retry-after is short enough for all to come back within the plan. */
export const THROTTLED: Fault = { kind: "status", status: 429, origin: "provider", retryAfterSeconds: 1 };

export const ANALYTICS_FAULT: Fault = { kind: "status", status: 500, endpoint: "analytics", times: 6 };

/** Kinds of faults with a good answer that is late or has fewer fields. */
export const HARMLESS: ReadonlySet<string | null> = new Set([null, "slow", "drip", "fields"]);

/** One in this many keys fails while faults are mixed. */
export const ONE_IN = 12;
