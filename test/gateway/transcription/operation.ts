import { type Answer, jsonAnswer } from "../answer.ts";
import type { Call, Context } from "../context.ts";
import { noFigures } from "../ledger.ts";
import { Refusal } from "../refusal.ts";
import { admit } from "./admission.ts";
import { parseTranscriptionForm } from "./form.ts";
import { costMicros, type Manner, spokenText, wordsOf } from "./manner.ts";
import type { TranscriptionRecord } from "./record.ts";
import { parseTranscriptionJson, type TranscriptionRequest } from "./request.ts";
import { transcriptBody } from "./transcript.ts";

/** POST /audio/transcriptions (2.5, 2.6): checks shape, limits and model, then transcribes, charges and answers. */
export function answerTranscription(context: Context, call: Call): Answer {
  const most = context.switches.transcriptionBytes;
  if (call.bytes.length > most) throw new Refusal(413);
  const request = parseTranscription(call);
  const manner = context.manners.of(request.model);
  if (request.responseFormat === "verbose_json" && !manner.verbose) {
    throw new Refusal(400, `Invalid "response_format": model "${request.model}" supports json only`);
  }
  const route = context.world.route({ key: call.key.name, model: request.model });
  admit(context, call.key, route.model);
  if (manner.status !== null) throw new Refusal(manner.status);
  const record = transcribe(context, call, request, manner);
  context.transcriptions.push(record);
  const { at, micros, inputTokens, outputTokens, latencyMs } = record;
  const tokens = { promptTokens: inputTokens, completionTokens: outputTokens };
  context.ledger.post({ ...noFigures, at, route, micros, requests: 1, ...tokens, latencyMs });
  const answer = jsonAnswer(transcriptBody(record, manner));
  const headers = { ...answer.headers, "X-Request-Id": record.requestId };
  return { ...answer, headers, delayMs: latencyMs };
}

function parseTranscription(call: Call): TranscriptionRequest {
  const { contentType = "", body, bytes, sessionHeader } = call;
  const type = contentType.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return parseTranscriptionJson(body, sessionHeader);
  if (type === "multipart/form-data") return parseTranscriptionForm(bytes, contentType, sessionHeader);
  const wanted = "application/json or multipart/form-data";
  throw new Refusal(400, `Invalid "Content-Type": expected ${wanted}, got "${contentType}"`);
}

/** The provider counts ten tokens per second of audio and two per word. */
const INPUT_TOKENS_PER_SECOND = 10;
const OUTPUT_TOKENS_PER_WORD = 2;

function transcribe(
  context: Context,
  call: Call,
  request: TranscriptionRequest,
  manner: Manner,
): TranscriptionRecord {
  const { audio, language: forcedLanguage, ...rest } = request;
  const recording = context.recordings.of(audio);
  const text = spokenText(manner, recording);
  const isFree = request.model.endsWith(":free");
  const micros = costMicros(manner, recording.seconds, isFree);
  return {
    ...rest,
    at: context.clock.now(),
    requestId: `sim-transcription-${context.transcriptions.length + 1}`,
    key: call.key.name,
    sha256: recording.sha256,
    language: forcedLanguage ?? manner.detectedLanguage ?? recording.language,
    isLanguageForced: forcedLanguage !== null,
    text,
    seconds: recording.seconds,
    latencyMs: manner.latencyMs,
    micros,
    cost: micros / 1e6,
    inputTokens: Math.ceil(recording.seconds * INPUT_TOKENS_PER_SECOND),
    outputTokens: wordsOf(text).length * OUTPUT_TOKENS_PER_WORD,
  };
}
