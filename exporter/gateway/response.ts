import { errorMessage, parseJson, type RefusalSource, refusalSource } from "./response-body.ts";
import { GatewayError, reasonOfStatus } from "./errors.ts";
import { retryAfter } from "./retry-after.ts";

/** A response of the gateway. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Also empty if the body of a refusal could not be read. */
  readonly body: Buffer;
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
  const { value: body, fault } = parseJson(response.body);
  if (!isSuccess(status)) return refusal(response, body, action, nowMs);
  if (fault === undefined) return { body };
  const what = response.body.length === 0 ? "an empty body" : `a body that ${fault}${bodyKind(response)}`;
  return new GatewayError("bad_response", `Cannot ${action}: gateway answered ${status} with ${what}`, {
    status,
  });
}

function refusal(
  { status, headers }: HttpResponse,
  body: unknown,
  action: string,
  nowMs: number,
): GatewayError {
  const reason = isRedirect(status) ? NOT_FOLLOWED : errorMessage(body);
  const source = status === 402 || status === 403 ? refusalSource(body) : undefined;
  const message = `Cannot ${action}: gateway answered ${status}${reason === undefined ? "" : `: ${reason}`}${sourceText(source)}`;
  const retryAfterMs = retryAfter({ status, headers, body, nowMs });
  return new GatewayError(reasonOfStatus(status), message, { status, retryAfterMs, ...source });
}

/** Added to the message, so that the log, the status page and `probe` all show it. */
function sourceText({ limitSource, refusalReason }: Partial<RefusalSource> = {}): string {
  const parts = [
    ...(limitSource === undefined ? [] : [`limit: ${limitSource}`]),
    ...(refusalReason === undefined ? [] : [`reason: ${refusalReason}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** The credential is only for the configured origin. The new location may be any text, so it is not shown. */
const NOT_FOLLOWED = "redirects are not followed (check gateway.base_url)";

/** Describes an unreadable body by its headers. Returns fixed texts only, because a header may contain anything. */
function bodyKind({ headers }: HttpResponse): string {
  const type = headers["content-type"];
  return typeof type === "string" && /\bhtml\b/i.test(type) ? " but HTML (check gateway.base_url)" : "";
}
