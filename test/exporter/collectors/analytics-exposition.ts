import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { Query } from "../../../exporter/collectors/analytics-families.ts";
import type { Target } from "../../../exporter/collectors/collector.ts";
import { parseAnalytics } from "../../../exporter/gateway/analytics.ts";
import type { AnalyticsRequest } from "../../../exporter/gateway/analytics-request.ts";
import type { Gateway } from "../../../exporter/gateway/gateway.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import { testAnalytics, testConfig } from "../../support/test-config.ts";

/** A Wednesday. */
export const NOON = Date.UTC(2026, 10, 18, 12);

export interface Options {
  readonly query?: Query;
  readonly top?: number;
  readonly rates?: boolean;
  readonly askedAtMs?: number;
}

/** The target of a query. */
export function targetOf({ query = "day", top = 50, rates = false }: Options = {}): Target {
  const analytics = testAnalytics({ top, rates });
  const target = analyticsCollector
    .targets(testConfig({ analytics }))
    .find(({ id }) => id === `analytics/${query}`);
  if (!target) throw new Error(`Cannot find the target of query "${query}"`);
  return target;
}

/** Polls a service that answers grouped questions with these bodies, one after another, and the total with one. */
export async function pollBodies(grouped: readonly unknown[], total: unknown, options: Options = {}) {
  const requests: AnalyticsRequest[] = [];
  const left = [...grouped];
  const gateway: Gateway = {
    readKey: () => Promise.reject(new Error("Nobody asks for a key")),
    queryAnalytics: async (name, request) => {
      requests.push(request);
      const body = request.dimensions === undefined ? total : left.shift();
      return parseAnalytics(body, request, `query the analytics of "${name}"`);
    },
    close: () => Promise.resolve(),
  };
  const signal = new AbortController().signal;
  const { samples } = await targetOf(options).poll(gateway, options.askedAtMs ?? NOON, signal);
  return { samples, requests, lines: sampleLines(analyticsCollector.families, samples) };
}

/** The lines of models and apps alone, without their common prefix. */
export async function usageLines(
  rows: readonly unknown[],
  total: object,
  options: Options & { readonly metadata?: object } = {},
): Promise<readonly string[]> {
  const grouped = analyticsBody(rows, {}, options.metadata);
  const { lines } = await pollBodies([grouped, grouped], analyticsBody([total]), options);
  return lines
    .filter((line) => !line.startsWith("aigateway_analytics_"))
    .map((line) => line.replace(/^aigateway_(usage_(last_)?(day|month)_)?/, ""));
}

/** A body as of the contract, 2.4. */
export function analyticsBody(rows: readonly unknown[], around: object = {}, metadata: object = {}): object {
  const counts = { query_time_ms: 12.5, row_count: rows.length, truncated: false };
  return { data: { data: rows, metadata: { ...counts, ...metadata }, ...around } };
}
