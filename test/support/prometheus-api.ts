import { z } from "zod";

import { until } from "./until.ts";

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly { readonly value: number; readonly at: number }[];
}

export interface Range {
  /** Epoch milliseconds, both ends included. */
  readonly start: number;
  readonly end: number;
  readonly stepMs: number;
}

export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: "pending" | "firing" | "inactive";
}

export interface PrometheusApi {
  readonly url: string;
  /** Instant query at `at` (epoch milliseconds), by default now. A scalar is one sample without labels; a range has all of its samples. */
  query(expression: string, at?: number): Promise<Sample[]>;
  queryRange(expression: string, range: Range): Promise<Series[]>;
  /** Polls `query` until `accept` returns true for its result. */
  queryUntil(
    expression: string,
    accept: (samples: Sample[]) => boolean,
    timeoutMs?: number,
  ): Promise<Sample[]>;
  /**
   * Resolves when every target of the job has been scraped, successfully or not, by a scrape that began after
   * `epochMs` (real time).
   */
  waitForScrapeAfter(epochMs: number, job: string): Promise<void>;
  alerts(): Promise<Alert[]>;
}

/** The HTTP API of the Prometheus at `url`. */
export function prometheusApi(url: string): PrometheusApi {
  const get = <T>(path: string, parameters: Record<string, string>, data: z.ZodType<T>): Promise<T> =>
    request(`${url}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`, data);

  async function query(expression: string, at?: number): Promise<Sample[]> {
    const time = at === undefined ? {} : { time: seconds(at) };
    const data = await get("query", { query: expression, ...time }, instantData);
    if (data.resultType === "scalar") return [{ labels: {}, ...point(data.result) }];
    return data.resultType === "vector"
      ? data.result.map(({ metric, value }) => ({ labels: metric, ...point(value) }))
      : data.result.flatMap(({ metric, values }) =>
          values.map((each) => ({ labels: metric, ...point(each) })),
        );
  }

  async function queryRange(expression: string, { start, end, stepMs }: Range): Promise<Series[]> {
    const range = { start: seconds(start), end: seconds(end), step: seconds(stepMs) };
    const data = await get("query_range", { query: expression, ...range }, matrixData);
    return data.result.map(({ metric, values }) => ({ labels: metric, points: values.map(point) }));
  }

  function queryUntil(
    expression: string,
    accept: (samples: Sample[]) => boolean,
    timeoutMs?: number,
  ): Promise<Sample[]> {
    const what = `query ${JSON.stringify(expression)} of ${url}`;
    return until(what, () => query(expression), accept, { ...(timeoutMs !== undefined && { timeoutMs }) });
  }

  async function waitForScrapeAfter(epochMs: number, job: string): Promise<void> {
    const after = epochMs + TIMESTAMP_TOLERANCE_MS;
    const expression = `timestamp(up{job=${JSON.stringify(job)}})`;
    await queryUntil(
      expression,
      (samples) => samples.length > 0 && samples.every(({ value }) => value * 1000 > after),
    );
  }

  return {
    url,
    query,
    queryRange,
    queryUntil,
    waitForScrapeAfter,
    alerts: async () => (await get("alerts", {}, alertsData)).alerts,
  };
}

/** Prometheus moves a scrape's timestamp by up to 2 ms to make distances regular. */
const TIMESTAMP_TOLERANCE_MS = 2;

const labelSet = z.record(z.string(), z.string());
const pair = z.tuple([z.number(), z.string()]);
const matrixData = z.object({
  resultType: z.literal("matrix"),
  result: z.array(z.object({ metric: labelSet, values: z.array(pair) })),
});
const instantData = z.discriminatedUnion("resultType", [
  z.object({
    resultType: z.literal("vector"),
    result: z.array(z.object({ metric: labelSet, value: pair })),
  }),
  z.object({ resultType: z.literal("scalar"), result: pair }),
  matrixData,
]);
const alertsData = z.object({
  alerts: z.array(
    z.object({
      labels: labelSet,
      annotations: labelSet,
      state: z.enum(["pending", "firing", "inactive"]),
    }),
  ),
});
async function request<T>(url: string, data: z.ZodType<T>): Promise<T> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot get "${url}": Prometheus answered ${response.status}: ${text}`);
  return z.object({ status: z.literal("success"), data }).parse(JSON.parse(text)).data;
}

function point([at, value]: readonly [number, string]): { value: number; at: number } {
  return { value: parseValue(value), at: Math.round(at * 1000) };
}

/** `Number` does not know Prometheus' spelling of infinity. */
function parseValue(text: string): number {
  return Number(text.replace(/Inf$/, "Infinity"));
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
