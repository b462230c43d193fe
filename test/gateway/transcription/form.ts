import { wrong } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import { type TranscriptionRequest, audioFormats, fieldNames, readRest } from "./request.ts";

/** Parses the multipart form in the reference speech-to-text style: `file`, and the fields of the JSON form as text. */
export function parseTranscriptionForm(body: Buffer, contentType: string): TranscriptionRequest {
  const parts = splitParts(body, contentType);
  const files = parts.filter(({ name }) => name === "file");
  const [file] = files;
  if (file === undefined || files.length > 1) {
    throw new Refusal(400, `Invalid "file": expected one part, got ${files.length}`);
  }
  if (file.data.length === 0) throw new Refusal(400, 'Invalid "file": expected audio, got 0 bytes');
  const fields = fieldsOf(parts.filter((part) => part !== file));
  return {
    upload: "multipart",
    audio: file.data,
    format: formatOf(file),
    ...readRest(fields),
  };
}

/** Determines the format by the extension of the file name. */
function formatOf(file: Part): string {
  const extension = /\.([a-z0-9]+)$/iu.exec(file.fileName ?? "")?.[1]?.toLowerCase();
  const format = audioFormats.find((candidate) => candidate === extension);
  if (format === undefined) {
    throw wrong("file", file.fileName ?? "", `a file name that ends in one of ${audioFormats.join(", ")}`);
  }
  return format;
}

function fieldsOf(parts: readonly Part[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const { name, fileName, data } of parts) {
    // Of the reference style; the service accepts and ignores it (vendor-2026-10, 4).
    if (name === "prompt") continue;
    if (!fieldNames.some((known) => known === name)) {
      throw new Refusal(400, `Unknown field "${name}" in "form"`);
    }
    if (fileName !== null) throw wrong(name, fileName, "text, not a file");
    if (name in fields) throw new Refusal(400, `Invalid "${name}": expected one part, got 2`);
    fields[name] = data.toString();
  }
  return fields;
}

/** One part of a multipart/form-data body (RFC 7578). */
type Part = { readonly name: string; readonly fileName: string | null; readonly data: Buffer };

/** Splits a body at its boundary. Every deviation from the format is a 400 that names its place. */
function splitParts(body: Buffer, contentType: string): readonly Part[] {
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
