import { z } from "zod";
import { parseJson } from "../parse-json.ts";

/** The few questions that a backfill asks the server that is to take the past. */
export interface PrometheusApi {
  /** The address without a password, for messages. */
  readonly shownUrl: string;
  /** The data of `/api/v1/status/NAME`. @throws PrometheusError */
  status<T>(name: "buildinfo" | "runtimeinfo", data: z.ZodType<T>): Promise<T>;
  /** The server's own metrics. @throws PrometheusError */
  metrics(): Promise<string>;
  /** The samples of one instant. @throws PrometheusError */
  query(expression: string, atMs: number): Promise<readonly PrometheusSample[]>;
  /** The times at which the expression has a value, ascending. @throws PrometheusError */
  timesOf(expression: string, range: PrometheusRange): Promise<readonly number[]>;
}

export interface PrometheusSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Epoch milliseconds, both ends included. */
export interface PrometheusRange {
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

/** The server cannot be asked, or its answer cannot be used. */
export class PrometheusError extends Error {}

/** @param url with user and password, if the server needs them, and without a slash at its end. */
export function createPrometheusApi(url: string): PrometheusApi {
  const { username, password } = new URL(url);
  const plain = new URL(url);
  [plain.username, plain.password] = ["", ""];
  const shownUrl = plain.href.replace(/\/+$/, "");
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = new Headers();
  if (login !== ":") headers.set("authorization", `Basic ${Buffer.from(login).toString("base64")}`);

  const failure = (path: string, reason: string) => new PrometheusError(`${shownUrl}${path}: ${reason}`);

  async function request(path: string, parameters: Record<string, string>) {
    const target = `${shownUrl}${path}?${new URLSearchParams(parameters).toString()}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    return fetch(target, { headers, signal, redirect: "error" })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((error: unknown) => {
        throw failure(path, reasonOf(error));
      });
  }

  async function get<T>(path: string, parameters: Record<string, string>, data: z.ZodType<T>): Promise<T> {
    const { status, text } = await request(path, parameters);
    const body = parseJson(text);
    const problem = ERROR.safeParse(body).data?.error;
    const reason = problem === undefined ? "" : `: ${printable(problem)}`;
    if (status !== 200) throw failure(path, `the server answered ${status}${reason}`);
    const parsed = z.object({ data }).safeParse(body);
    if (!parsed.success) throw failure(path, "the answer is not one of Prometheus");
    return parsed.data.data;
  }

  return {
    shownUrl,
    status: (name, data) => get(`/api/v1/status/${name}`, {}, data),
    metrics: async () => {
      const { status, text } = await request("/metrics", {});
      if (status !== 200) throw failure("/metrics", `the server answered ${status}`);
      return text;
    },
    query: async (query, atMs) => {
      const { result } = await get("/api/v1/query", { query, time: seconds(atMs) }, VECTOR);
      return result.map(({ metric, value: [, text] }) => ({ labels: metric, value: Number(text) }));
    },
    timesOf: async (query, { startMs, endMs, stepMs }) => {
      const range = { start: seconds(startMs), end: seconds(endMs), step: seconds(stepMs) };
      const { result } = await get("/api/v1/query_range", { query, ...range }, MATRIX);
      const times = result.flatMap(({ values }) => values.map(([at]) => Math.round(at * 1000)));
      return times.toSorted((one, other) => one - other);
    },
  };
}

/** As long as Prometheus itself evaluates a query. */
const TIMEOUT_MS = 120_000;

const ERROR = z.object({ error: z.string() });
const POINT = z.tuple([z.number(), z.string()]);
const VECTOR = z.object({
  result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: POINT })),
});
const MATRIX = z.object({ result: z.array(z.object({ values: z.array(POINT) })) });

/** `fetch` hides the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}

function printable(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").slice(0, MOST_TEXT);
}

const MOST_TEXT = 200;

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
