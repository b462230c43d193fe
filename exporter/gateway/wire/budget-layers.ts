import { z } from "zod";
import { utcMilliseconds } from "../../time/utc-time.ts";
import { type BudgetLayer, LIMIT_RESETS, type LimitReset } from "../budget-layer.ts";

import { optional, wireNumber } from "./fields.ts";

/** The field `budgets` of `GET /key` (vendor-2026-10, 1), in its order. A layer that cannot be read is left out. */
export const BudgetLayers = z
  .array(z.unknown())
  .transform((rows) => rows.slice(0, MOST_LAYERS).flatMap((row) => readLayer(row) ?? []));

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
