import {
  beginningOf,
  errorMessage,
  pageTitle,
  parseJson,
  type RefusalSource,
  refusalSource,
} from "./response-body.ts";
import { GatewayError, reasonOfStatus } from "./errors.ts";
import { quote } from "../secrets/quote.ts";
import { retryAfter } from "./retry-after.ts";

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
  const sent = errorMessage(body);
  const page = pageTitle(text);
  const reason = isRedirect(status) ? notFollowed(headers) : (sent ?? pageText(page));
  const source = status === 402 || status === 403 ? refusalSource(body) : undefined;
  const message = `Cannot ${action}: gateway answered ${status}${reason === undefined ? "" : `: ${reason}`}${sourceText(source)}`;
  const retryAfterMs = retryAfter({ status, headers, body, nowMs });
  return new GatewayError(reasonOfStatus(status), message, { status, retryAfterMs, sent, page, ...source });
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
