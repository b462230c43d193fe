import type { Gateway } from "../gateway/gateway.ts";
import { dayStart } from "../gateway/windows.ts";
import { seriesName } from "../support/series.ts";

/** Exactly the series that these keys must have, from the gateway's books as they are now. */
export function expectedKeySeries(gateway: Gateway, names: Iterable<string>): Map<string, number> {
  const at = gateway.clock.now();
  const freeRequests = gateway.switches.extraKeyFields ? freeRequestsToday(gateway, at) : undefined;
  return new Map([...names].flatMap((name) => [...aboutKey(gateway, name, at, freeRequests)]));
}

function aboutKey(
  gateway: Gateway,
  name: string,
  at: number,
  freeRequests: number | undefined,
): Map<string, number> {
  const series = new Map<string, number>();
  const put = (metric: string, value: number | null, labels: Readonly<Record<string, string>> = {}): void => {
    if (value !== null) series.set(seriesName(`aigateway_key_${metric}`, { key: name, ...labels }), value);
  };
  const { disabled, expiresAt, freeTier, includeByokInLimit } = gateway.world.key(name);
  const isRefused = disabled || (expiresAt !== null && expiresAt <= at);
  put("info", 1);
  put("owner_info", 1);
  put("up", Number(!isRefused));
  put("unauthorized", Number(isRefused));
  if (isRefused) return series;
  const { credits, limitReset, window } = gateway.books.key(name);
  put("unlimited", Number(credits.limit === null));
  put("limit_credits", credits.limit);
  put("limit_remaining_credits", credits.remaining);
  for (const state of ["never", "daily", "weekly", "monthly", "other"]) {
    put("limit_reset", Number(state === (limitReset ?? "never")), { aigateway_key_limit_reset: state });
  }
  if (window.end !== null) {
    put("limit_next_reset_timestamp_seconds", window.end / 1000);
    put("limit_window_start_timestamp_seconds", window.start / 1000);
  }
  put("usage_credits", credits.usage.total);
  put("byok_usage_credits", credits.byok.total);
  for (const period of ["day", "week", "month"] as const) {
    put(`usage_${period}_credits`, credits.usage[period]);
    put(`byok_usage_${period}_credits`, credits.byok[period]);
  }
  put("byok_in_limit", Number(includeByokInLimit));
  put("free_tier", Number(freeTier));
  if (freeRequests !== undefined) {
    put("expiry_timestamp_seconds", expiresAt === null ? null : expiresAt / 1000);
    put("free_requests_day_limit", FREE_REQUESTS_A_DAY);
    put("free_requests_day_used", freeRequests);
    put("free_requests_day_remaining", Math.max(0, FREE_REQUESTS_A_DAY - freeRequests));
  }
  return series;
}

/** Contract 8: for an account that has bought credits. */
const FREE_REQUESTS_A_DAY = 1000;

/** Traffic is counted at the beginning of its slot, so it includes entries of the next minutes (test/gateway/README.md). */
function freeRequestsToday(gateway: Gateway, at: number): number {
  const today = [...gateway.books.entries(Number.POSITIVE_INFINITY)].filter(
    (entry) => entry.route.model.free && dayStart(entry.at) === dayStart(at),
  );
  return today.reduce((sum, { requests }) => sum + requests, 0);
}
