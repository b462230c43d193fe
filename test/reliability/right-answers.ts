import { seriesName, type SeriesMap } from "../support/series.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** When the story begins: a Wednesday at noon. */
export const START = Date.parse("2026-11-18T12:00:00Z");
const DAY_START = Date.parse("2026-11-18T00:00:00Z");
const MONTH_START = Date.parse("2026-11-01T00:00:00Z");
const MONTH_END = Date.parse("2026-12-01T00:00:00Z");
const DAY_MS = 86_400_000;

/** The masked fragment of a key. */
export const LABEL = "sk-or-v1-0e6...1c9";

/** The answer to `GET /key` (contract 2.7). Each revision has spent one more credit. */
export function keyBody(revision: number): JsonObject {
  return {
    data: {
      label: LABEL,
      limit: 50,
      limit_reset: "monthly",
      limit_remaining: 50 - revision,
      include_byok_in_limit: false,
      usage: 100 + revision,
      usage_daily: 1 + revision,
      usage_weekly: 5 + revision,
      usage_monthly: 20 + revision,
      byok_usage: 7,
      byok_usage_daily: 0,
      byok_usage_weekly: 2,
      byok_usage_monthly: 3,
      is_free_tier: false,
      rate_limit: { requests: 10, interval: "10s" },
      expires_at: "2027-01-01T00:00:00Z",
      free_model_daily_requests: { limit: 1000, used: revision, remaining: 1000 - revision },
    },
  };
}

/** The series of that answer. */
export function keySeries(key: string, revision: number): SeriesMap {
  const values: Readonly<Record<string, number>> = {
    unlimited: 0,
    limit_credits: 50,
    limit_remaining_credits: 50 - revision,
    limit_next_reset_timestamp_seconds: MONTH_END / 1000,
    limit_window_start_timestamp_seconds: MONTH_START / 1000,
    usage_credits: 100 + revision,
    usage_day_credits: 1 + revision,
    usage_week_credits: 5 + revision,
    usage_month_credits: 20 + revision,
    byok_usage_credits: 7,
    byok_usage_day_credits: 0,
    byok_usage_week_credits: 2,
    byok_usage_month_credits: 3,
    byok_in_limit: 0,
    free_tier: 0,
    expiry_timestamp_seconds: Date.parse("2027-01-01T00:00:00Z") / 1000,
    free_requests_day_limit: 1000,
    free_requests_day_used: revision,
    free_requests_day_remaining: 1000 - revision,
  };
  const states = ["never", "daily", "weekly", "monthly", "other"].map((state): [string, number] => [
    seriesName("aigateway_key_limit_reset", { key, aigateway_key_limit_reset: state }),
    Number(state === "monthly"),
  ]);
  return new Map([
    ...Object.entries(values).map(([name, value]): [string, number] => [keySeriesName(name, key), value]),
    ...states,
    [keyInfoName(key, LABEL), 1],
  ]);
}

export function keyInfoName(key: string, label: string): string {
  return seriesName("aigateway_key_info", { key, label });
}

export function keySeriesName(name: string, key = "faulty"): string {
  return seriesName(`aigateway_key_${name}`, { key });
}

/** The answer to a query (contract 2.4): two pairs, or their total. */
export function queryBody(revision: number, grouped: boolean): JsonObject {
  const rows = PAIRS.map(({ model, app, credits, requests }) => ({
    model,
    app,
    ...amounts(credits + revision, requests + revision),
  }));
  const total = amounts(5 + 2 * revision, 50 + 2 * revision);
  return {
    data: {
      data: grouped ? rows : [total],
      metadata: { query_time_ms: 12, row_count: grouped ? rows.length : 1, truncated: false },
    },
  };
}

const PAIRS = [
  { model: "acme/one", app: "Chat", credits: 3, requests: 30 },
  { model: "acme/two", app: "Search", credits: 2, requests: 20 },
] as const;

/** A row without its labels. */
export function amounts(credits: number, requests: number): JsonObject {
  return {
    total_usage: credits,
    request_count: requests,
    tokens_total: 10 * requests,
    tokens_prompt: 7 * requests,
    tokens_completion: 3 * requests,
    reasoning_tokens: requests,
  };
}

/** The series of that answer, without the times of the requests. */
export function querySeries(query: "day" | "month" | "last_day", revision: number): SeriesMap {
  const about: Readonly<Record<string, number>> = {
    rows: 2,
    truncated: 0,
    warnings: 0,
    query_duration_seconds: 0.012,
    folded_series: 0,
    colliding_rows: 0,
    excess: 0,
    unreadable_rows: 0,
    window_start_timestamp_seconds: WINDOW_STARTS[query] / 1000,
  };
  return new Map([
    ...Object.entries(about).map(([name, value]): [string, number] => [querySeriesName(name, query), value]),
    ...["credits", "total_less_byok", "total"].map((source): [string, number] => [
      seriesName(CREDITS_SOURCE, { query, [CREDITS_SOURCE]: source }),
      Number(source === "total"),
    ]),
    ...PAIRS.flatMap(({ model, app, credits, requests }) => [
      ...usageSeries(query, { model, app }, credits + revision, requests + revision),
    ]),
  ]);
}

const CREDITS_SOURCE = "aigateway_analytics_credits_source";
const WINDOW_STARTS = { day: DAY_START, month: MONTH_START, last_day: DAY_START - DAY_MS } as const;

export function querySeriesName(name: string, query = "day"): string {
  return seriesName(`aigateway_analytics_${name}`, { query });
}

/** The series of one pair. */
export function usageSeries(
  query: string,
  labels: Readonly<Record<string, string>>,
  credits: number,
  requests: number,
): SeriesMap {
  const values: Readonly<Record<string, number>> = {
    credits,
    requests,
    tokens: 10 * requests,
    prompt_tokens: 7 * requests,
    completion_tokens: 3 * requests,
    reasoning_tokens: requests,
  };
  return new Map(
    Object.entries(values).map(([name, value]) => [
      seriesName(`aigateway_usage_${query}_${name}`, labels),
      value,
    ]),
  );
}
