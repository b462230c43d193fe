import { z } from "zod";
import { utcMilliseconds } from "../../time/utc-time.ts";
import { known, optional, parseBody, wireNumber } from "./fields.ts";
import { type BudgetLayer, type KeyInformation, LIMIT_RESETS, type LimitReset } from "../account.ts";

/** `GET /key` (contract 4). */
export const KEY_REQUEST = { method: "GET", path: "/key" } as const;

/** @throws GatewayError `bad_response` when a field has a wrong type, or the body has no usage and no limit. */
export function parseKey(body: unknown, action: string): KeyInformation {
  const { data } = parseBody(KeyBody, body, action);
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
    isManagementKey: data.is_management_key,
    expiresAtMs: data.expires_at,
    freeRequests: {
      limit: free?.limit,
      used: free?.used,
      remaining: free?.remaining,
    },
    layers: data.budgets?.map((layer) => ofMember(layer, data.creator_user_id)),
  };
}

const amount = known(wireNumber);
/** Null means unlimited. */
const limit = wireNumber.nullish();

/** The field `budgets` of `GET /key` (vendor-2026-10, 1), in its order. A layer that cannot be read is left out. */
const BudgetLayers = z
  .array(z.unknown())
  .transform((rows) => rows.slice(0, MOST_LAYERS).flatMap((row) => readLayer(row) ?? []));

/** The fields that are read. */
export const KeyBody = z.object({
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
      is_management_key: optional(z.boolean()),
      expires_at: optional(z.string().transform(utcMilliseconds)),
      free_model_daily_requests: optional(
        z.object({
          limit: optional(wireNumber),
          used: optional(wireNumber),
          remaining: optional(wireNumber),
        }),
      ),
      budgets: optional(BudgetLayers),
      creator_user_id: optional(z.string()),
    })
    .refine(
      (data) => data.usage !== undefined || data.limit !== undefined || data.limit_remaining !== undefined,
      {
        message: "has neither usage nor limit nor limit_remaining, so it is not key information",
      },
    ),
});

/** A guardrail for members counts each member alone, so the member is a part of its identity. */
function ofMember(layer: BudgetLayer, member: string | undefined): BudgetLayer {
  if (!layer.scope.endsWith("member") || member === undefined) return layer;
  return { ...layer, id: [layer.id, member].filter((part) => part !== undefined).join("/") };
}

/** When a limit resets, as the service writes it; null: never. */
export function limitReset(text: string | null | undefined): LimitReset | undefined {
  if (text === undefined) return undefined;
  if (text === null) return "never";
  return LIMIT_RESETS.find((state) => state === text.trim().toLowerCase()) ?? "other";
}

/** Three times as many as there are scopes. */
const MOST_LAYERS = 20;

const Layer = z.object({
  scope: z.string(),
  limit_usd: optional(wireNumber),
  spend_usd: optional(wireNumber),
  remaining_usd: optional(wireNumber),
  reset_interval: z.string().nullish().catch(undefined),
  resets_at: optional(z.string().transform(utcMilliseconds)),
  include_byok: optional(z.boolean()),
  budget_id: optional(z.string()),
  guardrail_id: optional(z.string()),
});

function readLayer(row: unknown): BudgetLayer | undefined {
  const { data } = Layer.safeParse(row);
  return (
    data && {
      scope: data.scope,
      limitCredits: data.limit_usd,
      spentCredits: data.spend_usd,
      remainingCredits: data.remaining_usd,
      reset: limitReset(data.reset_interval),
      resetsAtMs: data.resets_at,
      includesByok: data.include_byok,
      id: data.budget_id ?? data.guardrail_id,
    }
  );
}
