import type { Secret } from "../config/secret.ts";
import { errorMessage, parseJson } from "./error-body.ts";
import { GatewayError, reasonOfStatus } from "./errors.ts";
import { waitHint } from "./hint.ts";

/** What the gateway sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Empty also when the body of a refusal could not be read. */
  readonly text: string;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The parsed JSON of a success; what the call failed of otherwise. `action` is what was tried, for the message. */
export function readAnswer(
  answer: Answer,
  action: string,
  secret: Secret,
  nowMs: number,
): { readonly body: unknown } | GatewayError {
  const body = parseJson(answer.text, secret);
  if (!isSuccess(answer.status)) return refusal(answer, body, action, secret, nowMs);
  if (body !== undefined) return { body };
  const { status } = answer;
  const what = answer.text === "" ? "an empty body" : `a body that is not JSON${bodyKind(answer)}`;
  return new GatewayError("bad_response", `Cannot ${action}: gateway answered ${status} with ${what}`, {
    status,
  });
}

function refusal(
  { status, headers }: Answer,
  body: unknown,
  action: string,
  secret: Secret,
  nowMs: number,
): GatewayError {
  const said = isRedirect(status) ? NOT_FOLLOWED : errorMessage(body, secret);
  const hintMs = waitHint({ status, headers, body, nowMs });
  const message = `Cannot ${action}: gateway answered ${status}${said === undefined ? "" : `: ${said}`}`;
  return new GatewayError(reasonOfStatus(status), message, { status, hintMs });
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** A credential belongs to the configured origin only. Where else it was sent may be any text, and is not shown. */
const NOT_FOLLOWED = "redirects are not followed (check gateway.base_url)";

/** What the headers say that a body is which cannot be read. The texts are ours: theirs might be anything. */
function bodyKind({ headers }: Answer): string {
  const [encoding, type] = [headers["content-encoding"], headers["content-type"]];
  if (encoding !== undefined && encoding !== "identity") return " but compressed, which was not asked for";
  return typeof type === "string" && /\bhtml\b/i.test(type) ? " but HTML (check gateway.base_url)" : "";
}
