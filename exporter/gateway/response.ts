import { beginningOf, errorMessage, pageTitle, type RefusalSource, refusalSource } from "./response-body.ts";
import { GatewayError, reasonOfStatus } from "./errors.ts";
import { parseJson } from "../parse-json.ts";
import { quote } from "../secrets/quote.ts";
import { z } from "zod";
import { epochMilliseconds, utcMilliseconds } from "../time/utc-time.ts";

/** A response of the gateway. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Also empty if the body of a refusal could not be read. */
  readonly body: string;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The parsed JSON of a success, or why the request failed. `action` names the attempted action in the message. */
export function readResponse(
  response: HttpResponse,
  action: string,
  nowMs: number,
): { readonly body: unknown } | GatewayError {
  const { status } = response;
  const body = parseJson(response.body);
  if (!isSuccess(status)) return refusal(response, body, action, nowMs);
  const fault = faultOf(response, body);
  if (fault === undefined) return { body };
  const page = pageTitle(response.body);
  return new GatewayError("bad_response", `Cannot ${action}: ${fault}`, { status, page });
}

/** Why a success is no answer. */
function faultOf({ status, headers, body: text }: HttpResponse, body: unknown): string | undefined {
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    return "the answer has a content encoding that was not requested";
  if (body !== undefined) return undefined;
  if (text === "") return `gateway answered ${status} with an empty body`;
  const page = pageTitle(text);
  const begins = beginningOf(text);
  const what =
    pageText(page) ??
    `a body that is not JSON${begins === undefined ? "" : ` and begins ${quote(begins, 80)}`}`;
  return `gateway answered ${status} with ${what}`;
}

function refusal(
  { status, headers, body: text }: HttpResponse,
  body: unknown,
  action: string,
  nowMs: number,
): GatewayError {
  const page = pageTitle(text);
  const begins = page === undefined ? beginningOf(text) : undefined;
  const sent = errorMessage(body) ?? begins;
  const isText = body === undefined && begins !== undefined;
  const reason = isRedirect(status) ? notFollowed(headers) : (sent ?? pageText(page));
  const source = status === 402 || status === 403 ? refusalSource(body) : undefined;
  const message = `Cannot ${action}: gateway answered ${status}${reason === undefined ? "" : `: ${reason}`}${sourceText(source)}`;
  const retryAfterMs = retryAfter({ status, headers, body, nowMs });
  return new GatewayError(reasonOfStatus(status), message, {
    status,
    retryAfterMs,
    sent,
    page,
    isText,
    ...source,
  });
}

/** Added to the message, so that the log, the status page and `probe` all show it. */
function sourceText({ limitSource, refusalReason, details = [] }: Partial<RefusalSource> = {}): string {
  const parts = [
    ...(limitSource === undefined ? [] : [`limit: ${limitSource}`]),
    ...(refusalReason === undefined ? [] : [`reason: ${refusalReason}`]),
    ...details,
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** The credential is only for the configured origin. The new location may be any text, so only its host is shown. */
function notFollowed({ location }: HttpResponse["headers"]): string {
  const host = typeof location === "string" ? URL.parse(location)?.hostname : undefined;
  return `redirects are not followed${host ? ` (this one leads to ${quote(host)})` : ""}`;
}

/** What came instead of JSON: a web page or XML. */
function pageText(page: string | undefined): string | undefined {
  if (page === undefined || page.startsWith("XML")) return page;
  return page === "" ? "an HTML page" : `an HTML page, ${quote(page, 80)}`;
}

/** The parts of a response that may ask the client to wait. */
export interface RetryAfterSource {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body, if it is JSON. */
  readonly body: unknown;
  readonly nowMs: number;
}

/** Some services send the rate-limit headers in the body only (observed-behaviour 16). */
const BodyHeaders = z.object({
  error: z.object({
    metadata: z.object({ headers: z.custom<object>((value) => typeof value === "object" && value !== null) }),
  }),
});

/**
 * The wait that the server requests, milliseconds. `Retry-After` (seconds or HTTP date) overrides `X-RateLimit-Reset`
 * (epoch), and a header overrides the body. Undefined if the server requests no wait, the value is unreadable, or its
 * time has passed. Only 429 and 503 request a wait.
 */
export function retryAfter(source: RetryAfterSource): number | undefined {
  if (source.status !== 429 && source.status !== 503) return undefined;
  const inBody = BodyHeaders.safeParse(source.body);
  const valueOf = (name: string) =>
    textOf(source.headers, name) ??
    (inBody.success ? textOf(inBody.data.error.metadata.headers, name) : undefined);
  return (
    positive(waitOf(valueOf("retry-after"), source.nowMs)) ??
    positive(waitUntilReset(valueOf("x-ratelimit-reset"), source.nowMs))
  );
}

/** The first value of a header, whose name may be written in any case. */
function textOf(headers: object, name: string): string | undefined {
  const written = Object.keys(headers).find((candidate) => candidate.toLowerCase() === name);
  const value: unknown = written === undefined ? undefined : Reflect.get(headers, written);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" || typeof first === "number" ? String(first) : undefined;
}

function waitOf(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number(text) * 1000;
  return (utcMilliseconds(text) ?? httpDate(text)) - nowMs;
}

/** An HTTP date is always in GMT, even in the obsolete form without a zone. */
function httpDate(text: string): number {
  if (!/^\s*(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return Number.NaN;
  return Date.parse(/(gmt|utc)\s*$/i.test(text) ? text : `${text} GMT`);
}

function waitUntilReset(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
  return epochMilliseconds(Number(text)) - nowMs;
}

function positive(ms: number | undefined): number | undefined {
  // A number with too many digits is infinite: a long wait, too.
  return ms !== undefined && ms > 0 ? Math.min(ms, Number.MAX_SAFE_INTEGER) : undefined;
}
