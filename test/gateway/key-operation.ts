import { type Answer, jsonAnswer } from "./answer.ts";
import { keyBook } from "./books.ts";
import { freeRequestsPerDay } from "./limits.ts";
import type { Call, Context } from "./context.ts";
import { Refusal } from "./refusal.ts";
import { dayStart } from "./windows.ts";
import type { Key } from "./entities.ts";

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
    throw new Refusal(switches.exhaustedKeyStatus, "Key limit exceeded");
  }
  const figures = {
    limit: credits.limit,
    limit_remaining: remaining,
    usage: credits.usage.total,
    usage_daily: credits.usage.day,
    usage_weekly: credits.usage.week,
    usage_monthly: credits.usage.month,
    byok_usage: credits.byok.total,
    byok_usage_daily: credits.byok.day,
    byok_usage_weekly: credits.byok.week,
    byok_usage_monthly: credits.byok.month,
  };
  const data: Record<string, unknown> = {
    label: maskedToken(call.key),
    ...(switches.keyNumbersAsStrings ? asStrings(figures) : figures),
    limit_reset: limitReset === null ? null : (switches.limitResetText ?? limitReset),
    include_byok_in_limit: call.key.includeByokInLimit,
    is_free_tier: call.key.freeTier,
    rate_limit: { requests: -1, interval: "10s", note: "This field is deprecated and safe to ignore." },
    ...(switches.extraKeyFields ? extraFields(context, call.key, windowsAt) : {}),
  };
  for (const field of switches.missingKeyFields) delete data[field];
  return jsonAnswer({ data });
}

/** Now; for the switch's time after midnight, the last moment of yesterday instead. */
export function staleTime(now: number, staleMs: number): number {
  return now - dayStart(now) < staleMs ? dayStart(now) - 1 : now;
}

/** A fragment of the secret, as gateways show it. */
function maskedToken(key: Key): string {
  return `${key.token.slice(0, 12)}...${key.token.slice(-3)}`;
}

function asStrings(figures: Readonly<Record<string, number | null>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}

function extraFields(context: Context, key: Key, at: number): Record<string, unknown> {
  const limit = freeRequestsPerDay(key);
  const used = context.ledger.freeRequests(key.account, at);
  return {
    is_management_key: key.management,
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    free_model_daily_requests: { limit, used, remaining: Math.max(0, limit - used) },
  };
}
