import { z } from "zod";
import { formatDuration } from "../time/duration.ts";
import { byteSize, duration, integer, isNot, refuse, section } from "./field.ts";
import { quote } from "./quote.ts";
import { right, withRules } from "./rules.ts";

const URL_RULE = "an https URL of the gateway's API root (http for localhost only)";

const baseUrl = z
  .string({ error: ({ input }) => isNot(URL_RULE, input) })
  .transform((url, context) => {
    const parsed = parseBaseUrl(url);
    // A URL that may contain a password is not shown.
    const shown = /[@?#]/.test(url) ? "the URL" : quote(url);
    return parsed.ok ? parsed.url : refuse(context, `${shown} ${parsed.fault}`);
  })
  .meta({ rule: URL_RULE, type: "URL" });

/** The section `gateway`. */
export const gatewaySection = withRules(
  section({
    base_url: baseUrl.describe(
      "Root of the gateway's API, including the version segment. A trailing slash is ignored.",
    ),
    timeout: duration("100ms", "10m", "10s")
      .prefault("10s")
      .describe("Time limit of one attempt of a request, up to the last byte of the body."),
    deadline: duration("100ms", "1h", "30s")
      .prefault("30s")
      .describe("Time limit of a request with all its retries; at least `timeout`."),
    requests_per_minute: integer(0, 1_000_000)
      .prefault(600)
      .describe("Requests for keys per minute, over all keys; 0 is unlimited."),
    connections: integer(1, 1024).prefault(64).describe("Maximum number of concurrent requests."),
    max_pause: duration("1s", "1d", "5m")
      .prefault("5m")
      .describe("Longest pause of a key or an endpoint that the gateway can request (`Retry-After`)."),
    max_body: byteSize("1KiB", "16MiB", "2MiB")
      .prefault("2MiB")
      .describe(
        "Largest accepted answer to an analytics query; a larger one fails the query. One above 2 MiB may delay a scrape. Other answers have constant limits: 64 KiB for a key and for a refusal, 1 MiB for a transcription, for a page of the account's keys and for the names of metrics.",
      ),
  }),
  (gateway) => {
    const [timeout, deadline] = [right(gateway, "timeout"), right(gateway, "deadline")];
    if (timeout === undefined || deadline === undefined || deadline >= timeout) return [];
    const message = `${formatDuration(deadline)} is shorter than gateway.timeout, ${formatDuration(timeout)}`;
    return [{ path: ["deadline"], message }];
  },
);

export type ParsedBaseUrl =
  | { readonly ok: true; readonly url: string }
  /** What is wrong, without the URL, which may contain a password. */
  | { readonly ok: false; readonly fault: string };

/** The URL of the service's versioned API root (contract 1), without a trailing slash. */
export function parseBaseUrl(text: string): ParsedBaseUrl {
  const url = URL_FORM.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return { ok: false, fault: "is not an http or https URL" };
  const authority = text.split("/")[2] ?? "";
  if (authority.includes("@")) return { ok: false, fault: "must not contain credentials" };
  if (/[?#]/.test(text)) return { ok: false, fault: "must not have a query or a fragment" };
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return {
      ok: false,
      fault: "must use https, because keys are sent to it; http is allowed for localhost only",
    };
  }
  return { ok: true, url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

// Stricter than the URL parser, which accepts https:host, backslashes and white space.
const URL_FORM = /^https?:\/\/[^\s\\/][^\s\\]*$/i;

/** Whether the host of a URL is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
