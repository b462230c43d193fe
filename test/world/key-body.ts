import { type KeyFigures, resetEnd } from "./books.ts";

/** What the gateway sends about a key, with its own secret and in a list. */
export function keyBody(figures: KeyFigures, atMs: number): object {
  const { label, usage, byok, limit, reset, remaining } = figures;
  return {
    label,
    limit: credits(limit),
    limit_reset: reset,
    limit_remaining: credits(remaining),
    include_byok_in_limit: false,
    usage: credits(usage.total),
    usage_daily: credits(usage.day),
    usage_weekly: credits(usage.week),
    usage_monthly: credits(usage.month),
    byok_usage: credits(byok.total),
    byok_usage_daily: credits(byok.day),
    byok_usage_weekly: credits(byok.week),
    byok_usage_monthly: credits(byok.month),
    is_free_tier: false,
    expires_at: resetEnd(figures, atMs) === undefined ? null : undefined,
  };
}

function credits(micros: number | null): number | null {
  return micros === null ? null : micros / 1e6;
}
