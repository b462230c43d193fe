import { type Fields, readFields, readOneOf, readText, wrong } from "../fields.ts";
import { Refusal } from "../refusal.ts";

/** A valid request of contract 2.5, in either upload form, with the fields that the exporter sends. */
export type TranscriptionRequest = {
  readonly upload: "json" | "multipart";
  readonly audio: Buffer;
  readonly format: string;
  readonly model: string;
  readonly responseFormat: "json" | "verbose_json";
};

/** The fields besides the audio, common to both forms. */
export const fieldNames = ["model", "response_format"] as const;

/** Common values of such services; the contract does not list them. */
export const audioFormats = ["wav", "mp3", "flac", "m4a", "mp4", "ogg", "webm", "aac"] as const;

/** Parses the JSON form. Every violation of its shape is a 400 that names the field. */
export function parseTranscriptionJson(text: string): TranscriptionRequest {
  const body = readFields(parseJson(text), "body", ["input_audio", ...fieldNames]);
  const input = readFields(body["input_audio"], "input_audio", ["data", "format"]);
  const audio = readBase64(input["data"]);
  return {
    upload: "json",
    audio,
    format: readOneOf(input["format"], "input_audio.format", audioFormats),
    ...readRest(body),
  };
}

/** Parses the fields that follow the same rules in both forms. */
export function readRest(body: Fields): Pick<TranscriptionRequest, "model" | "responseFormat"> {
  const { model, response_format: format } = body;
  return {
    model: readModel(model),
    responseFormat:
      format === undefined ? "json" : readOneOf(format, "response_format", ["json", "verbose_json"]),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, `Malformed "body": expected a JSON object`);
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
