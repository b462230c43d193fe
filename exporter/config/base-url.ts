export type ParsedBaseUrl =
  | { readonly ok: true; readonly url: string }
  /** A full sentence about the URL without the URL: it may hold a password. */
  | { readonly ok: false; readonly fault: string };

/** The URL of the service's versioned API root (contract 1), without a slash at its end. */
export function parseBaseUrl(text: string): ParsedBaseUrl {
  const url = FORM.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return { ok: false, fault: "is not an http or https URL" };
  const authority = text.split("/")[2] ?? "";
  if (authority.includes("@")) return { ok: false, fault: "must not hold credentials" };
  if (/[?#]/.test(text)) return { ok: false, fault: "must not have a query or a fragment" };
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return { ok: false, fault: "must use https, since keys are sent to it; http is for localhost only" };
  }
  return { ok: true, url: `${url.origin}${url.pathname.replace(/\/+$/, "")}` };
}

// Stricter than the URL parser, which takes https:host, backslashes and white space as well.
const FORM = /^https?:\/\/[^\s\\/][^\s\\]*$/i;

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
