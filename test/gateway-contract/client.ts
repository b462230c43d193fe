import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Gateway } from "../gateway/gateway.ts";

export type Received = { readonly status: number; readonly headers: Headers; readonly text: string };

export async function getKey(gateway: Gateway, name: string): Promise<Received> {
  return get(gateway, "/key", gateway.tokens.get(name) ?? "");
}

export async function get(gateway: Gateway, path: string, token: string): Promise<Received> {
  const headers = { authorization: `Bearer ${token}` };
  return received(await fetch(`${gateway.url}${path}`, { headers, redirect: "manual" }));
}

export async function query(
  gateway: Gateway,
  body: unknown,
  token: string = gateway.managementToken,
): Promise<Received> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return received(await fetch(`${gateway.url}/analytics/query`, { method: "POST", headers, body: text }));
}

export type KeyData = Readonly<Record<string, unknown>>;

/** The `data` of GET /key. */
export async function keyData(gateway: Gateway, name: string): Promise<KeyData> {
  const answer = await getKey(gateway, name);
  const body: { data: KeyData } = JSON.parse(answer.text);
  return body.data;
}

/** The `data` of a GET with the management key. Throws unless the status is 200. */
export async function getData<Data>(gateway: Gateway, path: string): Promise<Data> {
  const answer = await get(gateway, path, gateway.managementToken);
  if (answer.status !== 200) throw new Error(`Cannot get ${path}: ${answer.status} ${answer.text}`);
  const body: { data: Data } = JSON.parse(answer.text);
  return body.data;
}

/** The rows of one page of GET /keys. */
export function listKeys(gateway: Gateway, parameters = ""): Promise<readonly KeyData[]> {
  return getData(gateway, `/keys${parameters}`);
}

export type AnalyticsData = {
  readonly data: readonly Readonly<Record<string, string | number | null>>[];
  readonly metadata: {
    readonly query_time_ms: number;
    readonly row_count: number;
    readonly truncated: boolean;
  };
  readonly cachedAt?: number;
  readonly warnings?: readonly string[];
};

/** The `data` of an analytics answer. Throws unless the status is 200. */
export async function ask(gateway: Gateway, body: Readonly<Record<string, unknown>>): Promise<AnalyticsData> {
  const answer = await query(gateway, body);
  if (answer.status !== 200) throw new Error(`Cannot query: ${answer.status} ${answer.text}`);
  const parsed: { data: AnalyticsData } = JSON.parse(answer.text);
  return parsed.data;
}

/** POST /audio/transcriptions with a form or with JSON. */
export async function transcribe(
  gateway: Gateway,
  key: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const isForm = body instanceof FormData;
  const sent = {
    authorization: `Bearer ${gateway.tokens.get(key) ?? ""}`,
    ...(isForm ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  const text = typeof body === "string" || isForm ? body : JSON.stringify(body);
  const url = `${gateway.url}/audio/transcriptions`;
  return received(await fetch(url, { method: "POST", headers: sent, body: text }));
}

const sampleFolder = join(import.meta.dirname, "../../exporter/probes/sample");
/** The bundled sample, read independently of the gateway. */
export const sampleAudio = readFileSync(join(sampleFolder, "sample.mp3"));
export const sampleText = readFileSync(join(sampleFolder, "sample.txt"), "utf8").trim();

async function received(response: Response): Promise<Received> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}
