import { z } from "zod";
import { Form } from "./request-body.ts";

const LONGEST_IDENTIFIER = 256;

/** Characters as a person counts them, not UTF-16 units. */
const identifier = z
  .string()
  .refine((text) => Array.from(text).length <= LONGEST_IDENTIFIER, "has at most 256 characters");

/** The question of `POST /audio/transcriptions` with the bounds of the contract (2.5, 8). */
const Request = z.strictObject({
  audio: z.strictObject({
    bytes: z.custom<Uint8Array>((bytes) => bytes instanceof Uint8Array && bytes.length > 0, "is empty"),
    /** Such as `mp3`; the allowed values are not told (contract 2.5). */
    format: z.string().regex(/^[a-z0-9]+$/, "is not the name of an audio format"),
  }),
  model: z.string().regex(/^[^\s/]+\/\S+$/, "is not of the form provider/model"),
  /** Absent: the service detects it. */
  language: z
    .string()
    .regex(/^[a-z]{2}$/, "is not an ISO 639-1 code")
    .optional(),
  responseFormat: z.enum(["json", "verbose_json"]).optional(),
  temperature: z.number().optional(),
  timestampGranularities: z.array(z.enum(["word", "segment"])).optional(),
  provider: z.record(z.string(), z.unknown()).optional(),
  sessionId: identifier.optional(),
  trace: z.record(z.string(), z.unknown()).optional(),
  user: identifier.optional(),
  /** Base64 within JSON, or a file upload in the reference speech-to-text style (contract 4, rule 2). */
  upload: z.enum(["json", "multipart"]).optional(),
});

export type TranscriptionRequest = Readonly<z.input<typeof Request>>;

/**
 * The body of a request: to be sent as JSON, or a form.
 * @throws RangeError that names every field outside the contract's bounds, before anything is sent.
 */
export function transcriptionBody(request: TranscriptionRequest): object {
  const checked = Request.safeParse(request);
  if (!checked.success) {
    const problems = checked.error.issues.map(
      (issue) => `${issue.path.map(String).join(".") || "the request"}: ${issue.message}`,
    );
    throw new RangeError(`Cannot ask for a transcription: ${problems.join("; ")}`);
  }
  return checked.data.upload === "multipart" ? formOf(checked.data) : jsonOf(checked.data);
}

type Checked = z.output<typeof Request>;

function jsonOf(request: Checked): object {
  const { bytes, format } = request.audio;
  return {
    input_audio: { data: Buffer.from(bytes).toString("base64"), format },
    model: request.model,
    language: request.language,
    response_format: request.responseFormat,
    temperature: request.temperature,
    timestamp_granularities: request.timestampGranularities,
    provider: request.provider,
    session_id: request.sessionId,
    trace: request.trace,
    user: request.user,
  };
}

/** The contract does not show the names of the fields; these are the reference style's. */
function formOf(request: Checked): Form {
  const { bytes, format } = request.audio;
  const file = { name: `audio.${format}`, contentType: `audio/${format}` };
  return new Form([
    { name: "file", content: bytes, file },
    ...field("model", request.model),
    ...field("language", request.language),
    ...field("response_format", request.responseFormat),
    ...field("temperature", request.temperature),
    ...(request.timestampGranularities ?? []).flatMap((item) => field("timestamp_granularities[]", item)),
    ...field("provider", json(request.provider)),
    ...field("session_id", request.sessionId),
    ...field("trace", json(request.trace)),
    ...field("user", request.user),
  ]);
}

/** No field at all for what is not given. */
function field(name: string, value: string | number | undefined) {
  return value === undefined ? [] : [{ name, content: String(value) }];
}

function json(value: object | undefined): string | undefined {
  return value && JSON.stringify(value);
}
