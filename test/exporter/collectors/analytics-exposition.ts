import { analyticsCollector } from "../../../exporter/collectors/analytics.ts";
import type { Query } from "../../../exporter/collectors/analytics-families.ts";
import type { Call, Send } from "../../../exporter/gateway/calls.ts";
import { createGatewayClient, createMemory } from "../../../exporter/gateway/gateway.ts";
import type { Job } from "../../../exporter/schedule/job.ts";
import { resultOf, amountsOf, NO_USAGE } from "../../support/fake-client.ts";
import { secretSource, testConfig } from "../../support/test-config.ts";
import { sampleLines } from "../../support/exposition-of.ts";
import type { Amounts, Rates, Usage, UsagePair } from "../../../exporter/gateway/port.ts";
import { breakdown } from "../../../exporter/collectors/breakdown.ts";

/** A Wednesday. */
export const NOON = Date.UTC(2026, 10, 18, 12);

export interface Options {
  readonly query?: Query;
  readonly top?: number;
  readonly rates?: boolean;
  readonly requestedAtMs?: number;
}

/** The job of a query. */
export function jobOf({ query = "day", top = 50, rates = false }: Options = {}): Job {
  const analytics = { managementKey: secretSource("sk-management"), top, rates, queries: [] };
  const job = analyticsCollector
    .jobs(testConfig({ analytics }))
    .find(({ id }) => id === `analytics/${query}`);
  if (!job) throw new Error(`Cannot find the job of query "${query}"`);
  return job;
}

/** Runs the job against a service that answers questions for pairs with these bodies in turn, and the total with one. */
export async function runOn(pairs: readonly unknown[], total: unknown, options: Options = {}) {
  const calls: Call[] = [];
  const left = [...pairs];
  const job = jobOf(options);
  const send: Send = async (call) => {
    calls.push(call);
    return call.body && "dimensions" in call.body ? left.shift() : total;
  };
  const client = createGatewayClient(job.name, () => send, createMemory());
  const result = await resultOf(job, client, options.requestedAtMs ?? NOON);
  const bodies = calls.map(({ body }) => body);
  return { ...result, bodies, lines: sampleLines(analyticsCollector.families, result.samples) };
}

/** The lines of models and apps alone, without their common prefix. */
export async function usageLines(
  rows: readonly unknown[],
  total: object,
  options: Options & { readonly metadata?: object } = {},
): Promise<readonly string[]> {
  const pairs = analyticsBody(rows, {}, options.metadata);
  const { lines } = await runOn([pairs, pairs], analyticsBody([total]), options);
  return lines
    .filter((line) => !line.startsWith("aigateway_analytics_"))
    .map((line) => line.replace(/^aigateway_(usage_(last_)?(day|month)_)?/, ""));
}

/** A body as described by the contract, 2.4. */
export function analyticsBody(rows: readonly unknown[], around: object = {}, metadata: object = {}): object {
  const counts = { query_time_ms: 12.5, row_count: rows.length, truncated: false };
  return { data: { data: rows, metadata: { ...counts, ...metadata }, ...around } };
}

type Text = string | null;
export type More = Partial<Amounts & Rates>;
/** Model, app, credits, requests, further values. */
export type Short = readonly [Text, Text, number | undefined, number | undefined, More?];

function pair([model, app, credits, requests, more = {}]: Short): UsagePair {
  const { cacheHitRatio, latencyAvgSeconds, latencyP90Seconds, ...amounts } = more;
  return {
    model,
    app,
    amounts: amountsOf({ credits, requests, ...amounts }),
    rates: { cacheHitRatio, latencyAvgSeconds, latencyP90Seconds },
  };
}

export function shortUsage(
  rows: readonly Short[],
  sum: Short | undefined,
  change: Partial<Usage> = {},
): Usage {
  const amounts = sum && pair(sum).amounts;
  return {
    ...NO_USAGE,
    pairs: rows.map(pair),
    total: { amounts: amounts ?? amountsOf({}), empty: !amounts },
    ...change,
  };
}

/** The pairs, without unknown values. */
export function shortPairs(
  rows: readonly Short[],
  sum: Short | undefined,
  top = 2,
  change: Partial<Usage> = {},
) {
  return breakdown(shortUsage(rows, sum, change), top).pairs.map(({ model, app, amounts, rates }) => {
    const known = Object.entries({ ...amounts, ...rates }).filter(([, value]) => value !== undefined);
    return [model, app, Object.fromEntries(known)];
  });
}

/** A total: no labels, credits, requests. */
export function shortTotal(
  credits: number | undefined,
  requests: number | undefined,
  more: More = {},
): Short {
  return [null, null, credits, requests, more];
}

export const A: Short = ["a", "x", 5, 10];
export const B: Short = ["b", "x", 3, 20];
export const C: Short = ["c", "y", 1, 30];
