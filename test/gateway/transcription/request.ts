import {
  type Fields,
  isFields,
  readFields,
  readList,
  readNumber,
  readOneOf,
  readText,
  wrong,
} from "../fields.ts";
import { Refusal } from "../refusal.ts";

/** A valid request of contract 2.5, in either upload form. */
export type TranscriptionRequest = {
  readonly upload: "json" | "multipart";
  readonly audio: Buffer;
  readonly format: string;
  readonly model: string;
  readonly language: string | null;
  readonly responseFormat: "json" | "verbose_json";
  readonly temperature: number | null;
  readonly granularities: readonly Granularity[];
  readonly provider: Fields | null;
  readonly sessionId: string | null;
  readonly trace: Fields | null;
  readonly user: string | null;
};
export type Granularity = (typeof granularities)[number];

/** The fields besides the audio, common to both forms. */
export const fieldNames = [
  "model",
  "language",
  "response_format",
  "temperature",
  "timestamp_granularities",
  "provider",
  "session_id",
  "trace",
  "user",
] as const;

/** Common values of such services; the contract does not list them. */
export const audioFormats = ["wav", "mp3", "flac", "m4a", "mp4", "ogg", "webm", "aac"] as const;
const granularities = ["word", "segment"] as const;
const traceKeys = ["trace_id", "trace_name", "span_name", "generation_name", "parent_span_id"];

/** Contract section 8, request-shape bounds. */
const MOST_CHARACTERS = 256;

/** Parses the JSON form. Every violation of its shape is a 400 that names the field. */
export function parseTranscriptionJson(
  text: string,
  sessionHeader: string | undefined,
): TranscriptionRequest {
  const body = readFields(parseJson(text, "body"), "body", ["input_audio", ...fieldNames]);
  const input = readFields(body["input_audio"], "input_audio", ["data", "format"]);
  const audio = readBase64(input["data"]);
  return {
    upload: "json",
    audio,
    format: readOneOf(input["format"], "input_audio.format", audioFormats),
    ...readRest(body, sessionHeader),
  };
}

/** Parses the fields that follow the same rules in both forms. The body's session takes precedence over the header's (2.5). */
export function readRest(
  body: Fields,
  sessionHeader: string | undefined,
): Omit<TranscriptionRequest, "upload" | "audio" | "format"> {
  return {
    model: readModel(body["model"]),
    language: optional(body["language"], readLanguage),
    responseFormat:
      optional(body["response_format"], (value) =>
        readOneOf(value, "response_format", ["json", "verbose_json"]),
      ) ?? "json",
    temperature: optional(body["temperature"], (value) => readNumber(value, "temperature")),
    granularities: optional(body["timestamp_granularities"], readGranularities) ?? [],
    provider: optional(body["provider"], (value) => readObject(value, "provider")),
    sessionId:
      optional(body["session_id"], (value) => readShortText(value, "session_id")) ??
      optional(sessionHeader, (value) => readShortText(value, "x-session-id")),
    trace: optional(body["trace"], readTrace),
    user: optional(body["user"], (value) => readShortText(value, "user")),
  };
}

export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, `Malformed "${name}": expected a JSON object`);
  }
}

/** Standard alphabet with padding, without line breaks or a data URL. */
function readBase64(value: unknown): Buffer {
  const text = readText(value, "input_audio.data");
  const audio = Buffer.from(text, "base64");
  if (text === "" || audio.toString("base64") !== text) {
    throw wrong("input_audio.data", text, "audio in base64");
  }
  return audio;
}

function readModel(value: unknown): string {
  const model = readText(value, "model");
  if (!/^[^/\s]+\/[^/\s]+$/u.test(model)) throw wrong("model", model, "<provider>/<model>");
  return model;
}

function readLanguage(value: unknown): string {
  const language = readText(value, "language");
  if (!/^[a-z]{2}$/u.test(language)) throw wrong("language", language, "an ISO-639-1 code");
  return language;
}

function readGranularities(value: unknown): readonly Granularity[] {
  const items = readList(value, "timestamp_granularities", 0, Number.POSITIVE_INFINITY);
  const read = items.map((item, index) =>
    readOneOf(item, `timestamp_granularities[${index}]`, granularities),
  );
  return [...new Set(read)];
}

function readTrace(value: unknown): Fields {
  const trace = readObject(value, "trace");
  for (const name of traceKeys) if (name in trace) readText(trace[name], `trace.${name}`);
  return trace;
}

function readObject(value: unknown, name: string): Fields {
  if (!isFields(value)) throw wrong(name, value, "an object");
  return value;
}

function readShortText(value: unknown, name: string): string {
  const text = readText(value, name);
  const characters = Array.from(text).length;
  if (characters <= MOST_CHARACTERS) return text;
  throw new Refusal(400, `Invalid "${name}": expected at most 256 characters, got ${characters}`);
}

/** Absent fields are undefined. Null is a value, and an invalid one. */
function optional<Value>(value: unknown, read: (value: unknown) => Value): Value | null {
  return value === undefined ? null : read(value);
}
