import { Refusal } from "../refusal.ts";

/** One part of a multipart/form-data body (RFC 7578). */
export type Part = { readonly name: string; readonly fileName: string | null; readonly data: Buffer };

/** Splits a body at its boundary. Every deviation from the format is a 400 that names its place. */
export function splitParts(body: Buffer, contentType: string): readonly Part[] {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`);
  // No line break precedes the first delimiter.
  const text = Buffer.concat([Buffer.from("\r\n"), body]);
  const parts: Part[] = [];
  let start = text.indexOf(delimiter);
  if (start !== 0) throw malformed("it does not begin with its boundary");
  for (;;) {
    start += delimiter.length;
    const after = text.toString("latin1", start, start + 2);
    if (after === "--") return parts;
    if (after !== "\r\n")
      throw malformed("a boundary is followed by neither a line break nor the final dashes");
    const end = text.indexOf(delimiter, start);
    if (end === -1) throw malformed("its last boundary is missing");
    parts.push(readPart(text.subarray(start + 2, end)));
    start = end;
  }
}

function boundaryOf(contentType: string): string {
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/iu.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) throw malformed("its Content-Type has no boundary");
  return boundary;
}

function readPart(part: Buffer): Part {
  const end = part.indexOf("\r\n\r\n");
  if (end === -1) throw malformed("a part has no empty line after its headers");
  const headers = part.toString("utf8", 0, end).split("\r\n");
  const disposition = headers.find((line) => /^content-disposition:/iu.test(line)) ?? "";
  const name = parameterOf(disposition, "name");
  if (name === null || !/^content-disposition:\s*form-data\s*;/iu.test(disposition)) {
    throw malformed("a part has no name");
  }
  return { name, fileName: parameterOf(disposition, "filename"), data: part.subarray(end + 4) };
}

/** Clients escape only quotes and line breaks, as %22, %0D and %0A. */
function parameterOf(disposition: string, name: string): string | null {
  const value = new RegExp(`;\\s*${name}="([^"]*)"`, "iu").exec(disposition)?.[1];
  return value?.replace(/%22|%0D|%0A/giu, (escaped) => decodeURIComponent(escaped)) ?? null;
}

function malformed(what: string): Refusal {
  return new Refusal(400, `Malformed form: ${what}`);
}
