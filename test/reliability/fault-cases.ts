import { gzipSync } from "node:zlib";
import type { FailureReason } from "../../exporter/gateway/errors.ts";
import { asRight, failing, type FaultCase } from "./fault-case.ts";
import * as steps from "./fault-steps.ts";
import type { JsonObject } from "./right-answers.ts";

const MEBIBYTE = 1_048_576;

/** A status of each kind; test/exporter/gateway has all. */
const STATUSES: Readonly<Record<number, FailureReason>> = {
  400: "bad_request",
  401: "unauthorized",
  402: "payment_required",
  403: "forbidden",
  429: "rate_limited",
  500: "upstream_error",
  504: "timeout",
};

const statuses: readonly FaultCase[] = Object.entries(STATUSES).map(([status, reason]) => ({
  title: `status ${status}`,
  fault: steps.refusing(Number(status)),
  ...failing(reason),
}));

const HINT_MS = 45_000;

type Hint = (untilMs: number) => {
  readonly headers?: Readonly<Record<string, string>>;
  readonly metadata?: JsonObject;
};

const HINTS: Readonly<Record<string, Hint>> = {
  "`Retry-After` in seconds": () => ({ headers: { "retry-after": String(HINT_MS / 1000) } }),
  "`Retry-After` as an HTTP date": (until) => ({ headers: { "retry-after": new Date(until).toUTCString() } }),
  "`X-RateLimit-Reset` in milliseconds": (until) => ({ headers: { "x-ratelimit-reset": String(until) } }),
  "`X-RateLimit-Reset` in the body only": (until) => ({
    metadata: { headers: { "X-RateLimit-Reset": String(until) } },
  }),
};

/** Each refused poll requests another 45 s. */
const hints: readonly FaultCase[] = Object.entries(HINTS).map(([form, hint]) => ({
  title: `status 429, ${form}`,
  fault: (exchange) => {
    const { headers, metadata } = hint(exchange.nowMs + HINT_MS);
    steps.refusing(429, headers, metadata)(exchange);
  },
  ...failing("rate_limited"),
  hintMs: HINT_MS,
}));

const bodies: readonly FaultCase[] = [
  {
    title: "HTML with status 200",
    fault: steps.sending("<html>Sign in</html>", 200, { "content-type": "text/html; charset=utf-8" }),
    ...failing("bad_response"),
  },
  {
    title: "HTML of an edge proxy with status 502",
    fault: steps.sending("<html>Bad gateway</html>", 502, { "content-type": "text/html" }),
    ...failing("upstream_error"),
  },
  { title: "empty body", fault: steps.sending(""), ...failing("bad_response") },
  { title: "status 204", fault: steps.sending("", 204), ...failing("bad_response") },
  { title: "body cut in the middle", fault: steps.cut, ...failing("network") },
  {
    title: "half of the JSON",
    fault: steps.sendingAs((text) => text.slice(0, text.length / 2)),
    ...failing("bad_response"),
  },
  { title: "a list instead of an object", fault: steps.sending("[]"), ...failing("bad_response") },
  { title: "`null`", fault: steps.sending("null"), ...failing("bad_response") },
  {
    title: "a compressed body",
    fault: steps.compressed((text) => gzipSync(text), "gzip"),
    ...failing("bad_response"),
  },
  {
    title: "UTF-16",
    fault: steps.sendingAs((text) => Buffer.from(text, "utf16le")),
    ...failing("bad_response"),
  },
  {
    title: "a byte order mark before the JSON",
    fault: steps.sendingAs((text) => `\uFEFF${text}`),
    key: asRight,
    analytics: asRight,
    note: "as sent",
  },
  {
    title: "JSON nested 20,000 deep as the data",
    fault: steps.sending(`{"data":${nested('"\\u0041"')}}`),
    ...failing("bad_response"),
  },
  {
    title: "an additional field, nested 20,000 deep",
    fault: steps.sendingAs((text) => text.replace("{", `{"more":${nested("")},`)),
    key: asRight,
    analytics: asRight,
    note: "all fields that are read",
  },
  {
    title: "a body of 50 MB",
    fault: steps.flood(50_000_000),
    ...failing("bad_response"),
    // The default of gateway.max_body, and the buffers of the system.
    mostSentBytes: (2 + 8) * MEBIBYTE,
  },
  {
    title: "status 401 with a body of 50 MB",
    fault: steps.flood(50_000_000, 401),
    ...failing("unauthorized"),
    mostSentBytes: (2 + 8) * MEBIBYTE,
  },
];

const DAY_MS = 86_400_000;
const AHEAD = "as sent, but no data are dated in the future";

const connections: readonly FaultCase[] = [
  { title: "no answer at all", fault: steps.silence, ...failing("timeout"), isEndless: true },
  { title: "a byte a second", fault: steps.drip, ...failing("timeout"), isEndless: true },
  { title: "reset before the headers", fault: steps.resetBeforeHeaders, ...failing("network") },
  { title: "reset after the headers", fault: steps.resetAfterHeaders, ...failing("network") },
  {
    title: "early hints before the answer",
    fault: steps.earlyHints,
    key: asRight,
    analytics: asRight,
    note: "as sent",
  },
  {
    title: "a second answer without a request",
    fault: steps.twice,
    key: asRight,
    analytics: asRight,
    note: "the first one",
  },
  {
    title: "redirect to another origin",
    fault: steps.sending("", 307, { location: "http://127.0.0.1:9/api/v1" }),
    ...failing("bad_response"),
  },
  {
    title: "an answer that is not HTTP",
    fault: ({ response }) => void response.socket?.end("SSH-2.0-OpenSSH_9.6\r\n"),
    ...failing("bad_response"),
  },
  { title: "clock a day ahead", fault: steps.dated(DAY_MS), key: asRight, analytics: asRight, note: AHEAD },
  {
    title: "clock a day behind",
    fault: steps.dated(-DAY_MS),
    key: asRight,
    analytics: { shown: () => new Map(), isPartial: true },
    note: "analytics: nothing, because the data are dated yesterday",
  },
];

/** Faults of the transport, of bodies as a whole, and of refusals. */
export const faultCases: readonly FaultCase[] = [...statuses, ...hints, ...bodies, ...connections];

function nested(inmost: string): string {
  return `${"[".repeat(20_000)}${inmost}${"]".repeat(20_000)}`;
}
