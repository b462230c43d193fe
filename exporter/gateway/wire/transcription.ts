import { z } from "zod";
import type { Transcription, TranscriptionRequest } from "../port.ts";
import { objectOf, optional, parseBody, provenanceOf, wireNumber } from "./fields.ts";

/**
 * `POST /audio/transcriptions` (contract 4): JSON, or a form.
 * @throws RangeError that names every field outside the contract's bounds.
 */
export function transcriptionRequest(request: TranscriptionRequest) {
  const checked = Bounds.safeParse(request);
  if (!checked.success) {
    const problems = checked.error.issues.map(
      (issue) => `${issue.path.map(String).join(".")}: ${issue.message}`,
    );
    throw new RangeError(`Cannot request a transcription: ${problems.join("; ")}`);
  }
  const body = request.upload === "multipart" ? formOf(request) : jsonOf(request);
  return { method: "POST", path: "/audio/transcriptions", body } as const;
}

/** The bounds of the contract (2.5, 8). */
const Bounds = z.object({
  audio: z.object({
    bytes: z.custom<Uint8Array>((bytes) => bytes instanceof Uint8Array && bytes.length > 0, "is empty"),
    // Such as `mp3`; the contract does not list the formats (2.5).
    format: z.string().regex(/^[a-z0-9]+$/, "is not the name of an audio format"),
  }),
  model: z.string().regex(/^[^\s/]+\/\S+$/, "is not of the form provider/model"),
});

function jsonOf({ audio, model, responseFormat }: TranscriptionRequest): object {
  return {
    input_audio: { data: Buffer.from(audio.bytes).toString("base64"), format: audio.format },
    model,
    response_format: responseFormat,
  };
}

/** The contract does not name the fields of the form; these follow the reference speech-to-text API. */
function formOf({ audio, model, responseFormat }: TranscriptionRequest): FormData {
  const form = new FormData();
  const file = new Blob([new Uint8Array(audio.bytes)], { type: `audio/${audio.format}` });
  form.append("file", file, `audio.${audio.format}`);
  form.append("model", model);
  form.append("response_format", responseFormat);
  return form;
}

/** @throws GatewayError `bad_response` when there is no text. Other unreadable fields are left out. */
export function parseTranscription(body: unknown, action: string): Transcription {
  return parseBody(TranscriptionBody, body, action);
}

/** A negative amount is ignored, because counts, seconds and credits cannot be negative. */
const amount = optional(wireNumber.pipe(z.number().min(0)));

/** The fields that are read. */
const USAGE_FIELDS = {
  costCredits: ["cost", amount],
  inputTokens: ["input_tokens", amount],
  outputTokens: ["output_tokens", amount],
  totalTokens: ["total_tokens", amount],
  seconds: ["seconds", amount],
} as const;
const FIELDS = {
  text: ["text", z.string()],
  usage: ["usage", optional(objectOf(USAGE_FIELDS)).transform((read) => read ?? {})],
  confidence: ["confidence", optional(wireNumber.pipe(z.number().min(0).max(1)))],
  durationSeconds: ["duration", amount],
  language: ["language", optional(z.string())],
} as const;
const TranscriptionBody = objectOf(FIELDS);

/** Where the values of a transcription come from. */
export const TRANSCRIPTION_PROVENANCE = {
  ...provenanceOf(FIELDS, "POST /audio/transcriptions"),
  usage: provenanceOf(USAGE_FIELDS, "POST /audio/transcriptions", "field usage."),
};
