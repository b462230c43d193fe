import { z } from "zod";
import { utcMilliseconds } from "../../time/utc-time.ts";
import { known, objectOf, optional, parseBody, provenanceOf, wireNumber } from "./fields.ts";
import { type BudgetLayer, type KeyInformation, LIMIT_RESETS, type LimitReset } from "../account.ts";

/** `GET /key` (contract 4). */
export const KEY_REQUEST = { method: "GET", path: "/key" } as const;

/** @throws GatewayError `bad_response` when a field has a wrong type, or the body has no usage and no limit. */
export function parseKey(body: unknown, action: string): KeyInformation {
  const { data } = parseBody(KeyBody, body, action);
  const { usage, usageDay, usageWeek, usageMonth, layers, member, ...rest } = data;
  const { byokUsage, byokUsageDay, byokUsageWeek, byokUsageMonth, ...others } = rest;
  return {
    ...others,
    usage: { total: usage, day: usageDay, week: usageWeek, month: usageMonth },
    byokUsage: { total: byokUsage, day: byokUsageDay, week: byokUsageWeek, month: byokUsageMonth },
    layers: layers?.map((layer) => ofMember(layer, member)),
  };
}

const amount = known(wireNumber);
/** Null means unlimited. */
const limit = wireNumber.nullish();
/** When a limit resets, as the service writes it; null: never. */
const reset = z
  .string()
  .nullish()
  .transform((text): LimitReset | undefined => {
    if (text === undefined) return undefined;
    if (text === null) return "never";
    return LIMIT_RESETS.find((state) => state === text.trim().toLowerCase()) ?? "other";
  });
const instant = optional(z.string().transform(utcMilliseconds));

/** Beyond the contract, as the expiry is (observed-behaviour 13). */
const quota = optional(
  z.object({ limit: optional(wireNumber), used: optional(wireNumber), remaining: optional(wireNumber) }),
);

/** A budget that bounds a key. */
const LAYER_FIELDS = {
  scope: ["scope", z.string()],
  limitCredits: ["limit_usd", optional(wireNumber)],
  spentCredits: ["spend_usd", optional(wireNumber)],
  remainingCredits: ["remaining_usd", optional(wireNumber)],
  reset: ["reset_interval", reset.catch(undefined)],
  resetsAtMs: ["resets_at", instant],
  includesByok: ["include_byok", optional(z.boolean())],
  budget: ["budget_id", optional(z.string())],
  guardrail: ["guardrail_id", optional(z.string())],
} as const;
const Layer = objectOf(LAYER_FIELDS).transform(({ budget, guardrail, ...layer }) => ({
  ...layer,
  id: budget ?? guardrail,
}));

/** Three times as many as there are scopes. */
const MOST_LAYERS = 20;

/** The field `budgets` of `GET /key` (vendor-2026-10, 1), in its order. A layer that cannot be read is left out. */
const BudgetLayers = z
  .array(z.unknown())
  .transform((rows) => rows.slice(0, MOST_LAYERS).flatMap((row) => Layer.safeParse(row).data ?? []));

/** The fields that are read. */
const KEY_FIELDS = {
  label: ["label", known(z.string())],
  limitCredits: ["limit", limit],
  limitReset: ["limit_reset", reset],
  remainingCredits: ["limit_remaining", limit],
  byokInLimit: ["include_byok_in_limit", known(z.boolean())],
  usage: ["usage", amount],
  usageDay: ["usage_daily", amount],
  usageWeek: ["usage_weekly", amount],
  usageMonth: ["usage_monthly", amount],
  byokUsage: ["byok_usage", amount],
  byokUsageDay: ["byok_usage_daily", amount],
  byokUsageWeek: ["byok_usage_weekly", amount],
  byokUsageMonth: ["byok_usage_monthly", amount],
  freeTier: ["is_free_tier", known(z.boolean())],
  isManagementKey: ["is_management_key", optional(z.boolean())],
  expiresAtMs: ["expires_at", instant],
  freeRequests: ["free_model_daily_requests", quota.transform((read) => read ?? {})],
  layers: ["budgets", optional(BudgetLayers)],
  member: ["creator_user_id", optional(z.string())],
} as const;

const KeyBody = z.object({
  data: objectOf(KEY_FIELDS).refine(
    (key) => [key.usage, key.limitCredits, key.remainingCredits].some((value) => value !== undefined),
    { message: "has neither usage nor limit nor limit_remaining, so it is not key information" },
  ),
});

/** Where the values of a key, and of a budget that bounds it, come from. */
export const KEY_PROVENANCE = provenanceOf(KEY_FIELDS, "GET /key");
export const LAYER_PROVENANCE = {
  ...provenanceOf(LAYER_FIELDS, "GET /key", "field budgets."),
  reset: LAYER_FIELDS.reset[0],
};

/** A guardrail for members counts each member alone, so the member is a part of its identity. */
function ofMember(layer: BudgetLayer, member: string | undefined): BudgetLayer {
  if (!layer.scope.endsWith("member") || member === undefined) return layer;
  return { ...layer, id: [layer.id, member].filter((part) => part !== undefined).join("/") };
}
