import { wrong } from "../fields.ts";
import { Refusal } from "../refusal.ts";
import { type Part, splitParts } from "./parts.ts";
import { audioFormats, fieldNames, parseJson, readRest, type TranscriptionRequest } from "./request.ts";

/** Parses the multipart form in the reference speech-to-text style: `file`, and the fields of the JSON form as text. */
export function parseTranscriptionForm(
  body: Buffer,
  contentType: string,
  sessionHeader: string | undefined,
): TranscriptionRequest {
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
    ...readRest(fields, sessionHeader),
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

const listField = "timestamp_granularities";

/** Converts text to the values of the JSON form: numbers, objects, and lists for names with `[]` or repeated fields. */
function fieldsOf(parts: readonly Part[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const list: string[] = [];
  for (const { name: given, fileName, data } of parts) {
    const name = given === `${listField}[]` ? listField : given;
    if (!fieldNames.some((known) => known === name)) {
      throw new Refusal(400, `Unknown field "${given}" in "form"`);
    }
    if (fileName !== null) throw wrong(name, fileName, "text, not a file");
    const text = data.toString();
    if (name === listField) list.push(text);
    else if (name in fields) throw new Refusal(400, `Invalid "${name}": expected one part, got 2`);
    else fields[name] = valueOf(name, text);
  }
  return list.length === 0 ? fields : { ...fields, [listField]: list };
}

function valueOf(name: string, text: string): unknown {
  if (name === "provider" || name === "trace") return parseJson(text, name);
  if (name !== "temperature") return text;
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? text : number;
}
