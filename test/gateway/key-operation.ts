import { type Answer, jsonAnswer } from "./answer.ts";
import { budgetSpentMicros, freeRequestsPerDay } from "./limits.ts";
import type { Call, Context } from "./context.ts";
import { keyBook, type KeyFigures } from "./key-book.ts";
import { Refusal } from "./refusal.ts";
import { dayStart, type Reset, windowOf } from "./windows.ts";
import type { Key } from "./entities.ts";
import type { Switches } from "./switches.ts";

/** GET /key (2.7), from the books at the time of the gateway's clock. */
export function answerKey(context: Context, call: Call): Answer {
  const { switches, clock, ledger } = context;
  const now = clock.now();
  const windowsAt = staleTime(now, switches.staleAfterMidnightMs);
  const { credits, limitReset } = keyBook(
    ledger,
    call.key,
    Math.min(windowsAt, now - switches.lagMs),
    windowsAt,
  );
  const { remaining } = credits;
  if (switches.exhaustedKeyStatus !== null && remaining !== null && remaining <= 0) {
    const metadata = { limit_source: "openrouter_key_limit" };
    const details = switches.refusalSources ? { metadata } : {};
    throw new Refusal(switches.exhaustedKeyStatus, "Key limit exceeded", details);
  }
  const data: Record<string, unknown> = {
    label: maskedToken(call.key),
    ...keyFigures(credits, switches),
    limit_reset: resetText(limitReset, switches),
    include_byok_in_limit: call.key.includeByokInLimit,
    is_free_tier: call.key.freeTier,
    rate_limit: { requests: -1, interval: "10s", note: "This field is deprecated and safe to ignore." },
    ...(switches.extraKeyFields ? extraFields(context, call.key, windowsAt) : {}),
    ...(switches.keyBudgets ? budgetFields(context, call.key, credits, windowsAt) : {}),
  };
  for (const field of switches.missingKeyFields) delete data[field];
  return jsonAnswer({ data });
}

/** The time of which a lagging service answers: now, but yesterday's last moment until `staleMs` after midnight. */
export function staleTime(now: number, staleMs: number): number {
  return now - dayStart(now) < staleMs ? dayStart(now) - 1 : now;
}

/** Limit and usage, which GET /key and GET /keys show alike. */
export function keyFigures(credits: KeyFigures, switches: Switches): Record<string, number | string | null> {
  const figures = {
    limit: credits.limit,
    limit_remaining: credits.remaining,
    usage: credits.usage.total,
    usage_daily: credits.usage.day,
    usage_weekly: credits.usage.week,
    usage_monthly: credits.usage.month,
    byok_usage: credits.byok.total,
    byok_usage_daily: credits.byok.day,
    byok_usage_weekly: credits.byok.week,
    byok_usage_monthly: credits.byok.month,
  };
  return switches.keyNumbersAsStrings ? asStrings(figures) : figures;
}

export function resetText(reset: Reset | null, switches: Switches): string | null {
  return reset === null ? null : (switches.limitResetText ?? reset);
}

/** A fragment of the secret, as gateways show it. */
export function maskedToken(key: Key): string {
  return `${key.token.slice(0, 12)}...${key.token.slice(-3)}`;
}

function asStrings(figures: Readonly<Record<string, number | null>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}

function extraFields(context: Context, key: Key, at: number): Record<string, unknown> {
  const limit = freeRequestsPerDay(key, at);
  const used = context.ledger.freeRequests(key.account, at);
  return {
    is_management_key: key.management,
    is_provisioning_key: key.management,
    workspace_id: key.workspace.id,
    organization_id: null,
    creator_user_id: key.creator,
    allowed_data_regions: ["global"],
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    free_model_daily_requests: { limit, used, remaining: Math.max(0, limit - used) },
  };
}

/** Every layer in the order of checking, the key's own limit last, and the one that blocks first. */
function budgetFields(
  context: Context,
  key: Key,
  { limit, remaining }: KeyFigures,
  windowsAt: number,
): Record<string, unknown> {
  const at = Math.min(windowsAt, context.clock.now() - context.switches.lagMs);
  const budgets = key.budgets.map((budget) => {
    const isWorkspace = budget.scope === "workspace";
    return layerRow(
      budget.scope,
      budget.micros / 1e6,
      budgetSpentMicros(context.ledger, budget, at, windowsAt) / 1e6,
      {
        ...budget,
        budget_id: isWorkspace ? budget.id : null,
        guardrail_id: isWorkspace ? null : budget.id,
        windowsAt,
      },
    );
  });
  const own =
    limit === null || remaining === null
      ? []
      : [
          layerRow("key_limit", limit, limit - remaining, {
            reset: key.limitReset,
            includeByok: key.includeByokInLimit,
            budget_id: null,
            guardrail_id: null,
            windowsAt,
          }),
        ];
  const layers = [...budgets, ...own];
  const spent = layers.find((layer) => layer.remaining_usd <= 0);
  const least = layers.toSorted((one, other) => one.remaining_usd - other.remaining_usd)[0];
  return { budgets: layers, effective_budget: spent ?? least ?? null };
}

function layerRow(
  scope: string,
  limit: number,
  spent: number,
  about: {
    readonly reset: Reset | null;
    readonly includeByok: boolean;
    readonly budget_id: string | null;
    readonly guardrail_id: string | null;
    readonly windowsAt: number;
  },
) {
  const { end } = windowOf(about.reset, about.windowsAt);
  return {
    scope,
    limit_usd: limit,
    spend_usd: spent,
    remaining_usd: Math.round((limit - spent) * 1e6) / 1e6,
    reset_interval: about.reset,
    resets_at: end === null ? null : new Date(end).toISOString(),
    include_byok: about.includeByok,
    budget_id: about.budget_id,
    guardrail_id: about.guardrail_id,
  };
}
