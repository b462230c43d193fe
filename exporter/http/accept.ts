import Negotiator from "negotiator";
import { CONTENT_TYPES, type Format, FORMATS } from "../metrics/render/exposition.ts";

/** The exposition format that the `Accept` header prefers; text when it accepts neither. */
export function acceptedFormat(header: string | undefined): Format {
  const accept = header?.replaceAll(ESCAPING, "");
  const preferred = new Negotiator({ headers: { accept } }).mediaType(Object.values(CONTENT_TYPES));
  return FORMATS.find((format) => CONTENT_TYPES[format] === preferred) ?? "text";
}

/** Whether the client takes gzip, by the `Accept-Encoding` header. */
export function acceptsGzip(header: string | undefined): boolean {
  return new Negotiator({ headers: { "accept-encoding": header } }).encodings(["gzip"]).length > 0;
}

/**
 * The name escaping that Prometheus 3 requests. It has no effect, because every metric and label name is plain ASCII.
 */
const ESCAPING = /;\s*escaping=[\w-]*/gi;
