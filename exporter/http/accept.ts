import Negotiator from "negotiator";
import { CONTENT_TYPES, type Format, FORMATS } from "../metrics/render/exposition.ts";

/** The exposition format that the `Accept` header prefers; text when it accepts neither. */
export function acceptedFormat(accept: string | undefined): Format {
  const preferred = new Negotiator({ headers: { accept } }).mediaType([...MEDIA_TYPES.keys()]);
  return MEDIA_TYPES.get(preferred ?? "") ?? "text";
}

/** Whether the client takes gzip, by the `Accept-Encoding` header. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return new Negotiator({ headers: { "accept-encoding": acceptEncoding } }).encodings(["gzip"]).length > 0;
}

/** Prometheus 3 asks for one of these. All mean the same here, because every metric and label name is plain ASCII. */
const ESCAPINGS = ["allow-utf-8", "underscores", "dots", "values"];

/** Of types that the header accepts alike, the first wins. */
const MEDIA_TYPES: ReadonlyMap<string, Format> = new Map(
  FORMATS.flatMap((format) =>
    ESCAPINGS.map((escaping): [string, Format] => [`${CONTENT_TYPES[format]}; escaping=${escaping}`, format]),
  ),
);
