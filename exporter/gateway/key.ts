import { z } from "zod";
import type { SecretSource } from "../config/secret.ts";
import { GatewayError } from "./errors.ts";
import type { Http } from "./http.ts";
import { utcMilliseconds } from "../time/utc-time.ts";
import { known, optional, shapeProblem, wireNumber } from "./wire.ts";

/**
 * What the gateway knows of one key (contract 2.7). Amounts are credits. Undefined: the answer did not tell (older
 * deployments lack fields, observed-behaviour 13); null: none, as the contract says.
 */
export interface KeyInformation {
  /** A masked fragment of the key (observed-behaviour 11). */
  readonly label: string | undefined;
  /** Null: unlimited. */
  readonly limitCredits: number | null | undefined;
  readonly limitReset: LimitReset | undefined;
  /** Of the current reset window; may be negative. Null: unlimited. */
  readonly remainingCredits: number | null | undefined;
  readonly byokInLimit: boolean | undefined;
  readonly usage: Spend;
  readonly byokUsage: Spend;
  readonly freeTier: boolean | undefined;
  readonly expiresAtMs: number | undefined;
  /** The daily quota of `:free` models. */
  readonly freeRequests: {
    readonly limit: number | undefined;
    readonly used: number | undefined;
    readonly remaining: number | undefined;
  };
}

/** Credits used: all time, current UTC day, week (from Monday) and month. */
export interface Spend {
  readonly total: number | undefined;
  readonly day: number | undefined;
  readonly week: number | undefined;
  readonly month: number | undefined;
}

/** When a limit starts anew; `other` is a text that we do not know. */
export const LIMIT_RESETS = ["never", "daily", "weekly", "monthly", "other"] as const;
export type LimitReset = (typeof LIMIT_RESETS)[number];

/**
 * `GET /key` (contract 4).
 * @throws GatewayError as Http.send, and `bad_response` when the body is no key information.
 */
export async function readKey(
  http: Http,
  name: string,
  secret: SecretSource,
  signal: AbortSignal,
): Promise<KeyInformation> {
  const action = `read key "${name}"`;
  const body = await http.send(
    { endpoint: "key", target: `key/${name}`, action, method: "GET", path: "/key", secret },
    signal,
  );
  return parseKey(body, action);
}

/** @throws GatewayError `bad_response` when a field has a wrong type, or none of the contract's amounts is there. */
export function parseKey(body: unknown, action: string): KeyInformation {
  const parsed = KeyBody.safeParse(body);
  if (!parsed.success) {
    throw new GatewayError("bad_response", `Cannot ${action}: ${shapeProblem(parsed.error)}`);
  }
  const { data } = parsed.data;
  const free = data.free_model_daily_requests;
  return {
    label: data.label,
    limitCredits: data.limit,
    limitReset: limitReset(data.limit_reset),
    remainingCredits: data.limit_remaining,
    byokInLimit: data.include_byok_in_limit,
    usage: {
      total: data.usage,
      day: data.usage_daily,
      week: data.usage_weekly,
      month: data.usage_monthly,
    },
    byokUsage: {
      total: data.byok_usage,
      day: data.byok_usage_daily,
      week: data.byok_usage_weekly,
      month: data.byok_usage_monthly,
    },
    freeTier: data.is_free_tier,
    expiresAtMs: data.expires_at,
    freeRequests: {
      limit: free?.limit,
      used: free?.used,
      remaining: free?.remaining,
    },
  };
}

const amount = known(wireNumber);
/** A limit alone may be null, which is an answer: unlimited. */
const limit = wireNumber.nullish();

const KeyBody = z.object({
  data: z
    .object({
      label: known(z.string()),
      limit,
      limit_reset: z.string().nullish(),
      limit_remaining: limit,
      include_byok_in_limit: known(z.boolean()),
      usage: amount,
      usage_daily: amount,
      usage_weekly: amount,
      usage_monthly: amount,
      byok_usage: amount,
      byok_usage_daily: amount,
      byok_usage_weekly: amount,
      byok_usage_monthly: amount,
      is_free_tier: known(z.boolean()),
      // Beyond the contract (observed-behaviour 13).
      expires_at: optional(z.string().transform(utcMilliseconds)),
      free_model_daily_requests: optional(
        z.object({
          limit: optional(wireNumber),
          used: optional(wireNumber),
          remaining: optional(wireNumber),
        }),
      ),
    })
    .refine(
      (data) => data.usage !== undefined || data.limit !== undefined || data.limit_remaining !== undefined,
      {
        message: "has none of usage, limit and limit_remaining, so it is no key information",
      },
    ),
});

function limitReset(text: string | null | undefined): LimitReset | undefined {
  if (text === undefined) return undefined;
  if (text === null) return "never";
  const reset = LIMIT_RESETS.find((state) => state === text.trim().toLowerCase());
  return reset ?? "other";
}
