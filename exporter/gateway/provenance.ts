import type { Amount, Rate } from "./port.ts";
import { AMOUNT_METRICS, CREDITS_METRIC, RATE_METRICS } from "./wire/usage.ts";

const keyField = (name: string) => `field ${name} of GET /key`;
const usageField = (name: string) => `field ${name} of POST /analytics/query`;
const usageMetric = (name: string) => `metric ${name} of POST /analytics/query`;
const transcriptionField = (name: string) => `field ${name} of POST /audio/transcriptions`;

/** Where the values of a key come from in the gateway's answer, for HELP texts. */
export const KEY_PROVENANCE = {
  label: keyField("label"),
  limit: keyField("limit"),
  limitReset: keyField("limit_reset"),
  remaining: keyField("limit_remaining"),
  byokInLimit: keyField("include_byok_in_limit"),
  usage: keyField("usage"),
  usageDay: keyField("usage_daily"),
  usageWeek: keyField("usage_weekly"),
  usageMonth: keyField("usage_monthly"),
  byokUsage: keyField("byok_usage"),
  byokUsageDay: keyField("byok_usage_daily"),
  byokUsageWeek: keyField("byok_usage_weekly"),
  byokUsageMonth: keyField("byok_usage_monthly"),
  freeTier: keyField("is_free_tier"),
  expiry: keyField("expires_at"),
  freeRequests: keyField("free_model_daily_requests"),
} as const;

/** Where the values of a budget that bounds a key come from. */
export const LAYER_PROVENANCE = {
  limit: keyField("budgets.limit_usd"),
  spent: keyField("budgets.spend_usd"),
  remaining: keyField("budgets.remaining_usd"),
  interval: "reset_interval",
  resetsAt: keyField("budgets.resets_at"),
} as const;

/** Where the amounts of a pair of model and app come from. */
export const AMOUNT_PROVENANCE: Readonly<Record<Amount, string>> = {
  credits: `${usageMetric(CREDITS_METRIC)}, else ${AMOUNT_METRICS.credits} less ${AMOUNT_METRICS.byokCredits}`,
  byokCredits: usageMetric(AMOUNT_METRICS.byokCredits),
  requests: usageMetric(AMOUNT_METRICS.requests),
  tokens: usageMetric(AMOUNT_METRICS.tokens),
  promptTokens: usageMetric(AMOUNT_METRICS.promptTokens),
  completionTokens: usageMetric(AMOUNT_METRICS.completionTokens),
  reasoningTokens: usageMetric(AMOUNT_METRICS.reasoningTokens),
};

/** Where the rates of a pair come from; the service sends latencies in milliseconds. */
export const RATE_PROVENANCE: Readonly<Record<Rate, string>> = {
  cacheHitRatio: usageMetric(RATE_METRICS.cacheHitRatio),
  latencyAvgSeconds: `${usageMetric(RATE_METRICS.latencyAvgSeconds)}, in milliseconds`,
  latencyP90Seconds: `${usageMetric(RATE_METRICS.latencyP90Seconds)}, in milliseconds`,
};

/** Where the values about an answer to a query come from. */
export const USAGE_PROVENANCE = {
  credits: `metric ${CREDITS_METRIC}`,
  totalLessByok: `metric ${AMOUNT_METRICS.credits} less ${AMOUNT_METRICS.byokCredits}`,
  total: `metric ${AMOUNT_METRICS.credits}, where the service does not send the other metrics`,
  computedAt: usageField("cachedAt"),
  truncated: `${usageField("metadata.truncated")}, or its row_count is above the number of rows`,
  warnings: usageField("warnings"),
  queryTime: usageField("metadata.query_time_ms"),
} as const;

/** Where the values about the account come from. */
export const ACCOUNT_PROVENANCE = {
  bought: "field total_credits of GET /credits",
  used: "field total_usage of GET /credits",
  capabilities: "GET /analytics/meta",
  keys: "GET /keys",
  name: "field name of GET /keys",
  disabled: "field disabled of GET /keys",
  lastUsed: "field last_used_at of GET /keys",
  limit: "field limit of GET /keys",
  expires: "field expires_at of GET /keys",
} as const;

/** Where the values of a transcription come from. */
export const TRANSCRIPTION_PROVENANCE = {
  duration: transcriptionField("duration"),
  usageSeconds: transcriptionField("usage.seconds"),
  language: transcriptionField("language"),
  confidence: transcriptionField("confidence"),
  cost: transcriptionField("usage.cost"),
  inputTokens: transcriptionField("usage.input_tokens"),
  outputTokens: transcriptionField("usage.output_tokens"),
  totalTokens: transcriptionField("usage.total_tokens"),
} as const;
