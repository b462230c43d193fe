import type { IncomingMessage } from "node:http";
import { type Answer, textAnswer } from "./route.ts";

/**
 * The answer to a request that must not change anything: a browser sends it on behalf of another site, or it is not
 * whole. Undefined: it may change something; it was then received to its end. What it contains is ignored.
 */
export async function changeRefusal(request: IncomingMessage): Promise<Answer | undefined> {
  if (headerValues(request, "host").length > 1) return BROKEN;
  if (isCrossSite(request)) return CROSS_SITE;
  return received(request);
}

/** Whether the request names one of the hosts, without its port, in its header and in its target if that is a URL. */
export function isForHost(request: IncomingMessage, hosts: readonly string[]): boolean {
  const [header = "", ...others] = headerValues(request, "host");
  const target = /^https?:\/\/([^/?#]*)/i.exec(request.url ?? "")?.[1];
  return (
    others.length === 0 && [header, target ?? header].every((host) => hosts.includes(nameOf(host) ?? ""))
  );
}

/** Undefined: not a host with an optional port. */
function nameOf(host: string): string | undefined {
  return /^(\[[\da-f:.]+\]|[^\s:@/?#\\]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase();
}

const CROSS_SITE = textAnswer(403, "Refused: a browser sends this request on behalf of another site\n");
const BROKEN = textAnswer(400, "The request is not complete\n");
const TOO_LARGE = textAnswer(413, "The body is too large; none is needed\n");

/** No route needs a body. */
const MOST_BODY_BYTES = 65_536;

function headerValues({ headersDistinct }: IncomingMessage, name: string): readonly string[] {
  return headersDistinct[name] ?? [];
}

/** Only browsers send `Origin` and `Sec-Fetch-Site`; a page cannot change them. */
function isCrossSite(request: IncomingMessage): boolean {
  const [host = ""] = headerValues(request, "host");
  const isForeign = headerValues(request, "origin").some((origin) => !isOriginOf(origin, host));
  return isForeign || headerValues(request, "sec-fetch-site").some((site) => !OWN_SITES.has(site));
}

/** `none`: the user, not a page, caused the request. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** The scheme may differ, because a proxy may add TLS. */
function isOriginOf(origin: string, host: string): boolean {
  const own = URL.parse(origin);
  return own?.origin === origin && URL.parse(`${own.protocol}//${host}`)?.host === own.host;
}

/** Receives the rest of the request. */
function received(request: IncomingMessage): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BODY_BYTES) resolve(TOO_LARGE);
    });
    request.once("end", () => resolve(request.complete ? undefined : BROKEN));
    // Once it has ended, these have no effect.
    request.once("error", () => resolve(BROKEN)).once("close", () => resolve(BROKEN));
  });
}
