import { type Answer, jsonAnswer } from "../answer.ts";
import type { Call, Context } from "../context.ts";
import { noFigures } from "../ledger.ts";
import { Refusal } from "../refusal.ts";
import { parseTranscriptionForm } from "./form.ts";
import { type Manner, costMicros, spokenText, wordsOf } from "./manner.ts";
import { type TranscriptionRequest, parseTranscriptionJson } from "./request.ts";
import type { Key, Model } from "../entities.ts";
import { budgetSpentMicros, exhaustedBudget, freeRequestsPerDay, shortageOf } from "../limits.ts";
import { DAY, MINUTE, dayStart, windowOf } from "../windows.ts";
import { recordingOf, type TranscriptionRecord } from "./recordings.ts";

const MOST_BYTES = 25_000_000;

/** POST /audio/transcriptions (2.5, 2.6): checks shape, limits and model, then transcribes, charges and answers. */
export function answerTranscription(context: Context, call: Call): Answer {
  if (call.bytes.length > MOST_BYTES) throw new Refusal(413);
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
  const { contentType = "", body, bytes } = call;
  const type = contentType.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return parseTranscriptionJson(body);
  if (type === "multipart/form-data") return parseTranscriptionForm(bytes, contentType);
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
  const { audio, ...rest } = request;
  const recording = recordingOf(audio);
  const text = spokenText(manner, recording);
  const isFree = request.model.endsWith(":free");
  const micros = costMicros(manner, recording.seconds, isFree);
  return {
    ...rest,
    at: context.clock.now(),
    requestId: `sim-transcription-${context.transcriptions.length + 1}`,
    key: call.key.name,
    sha256: recording.sha256,
    language: recording.language,
    text,
    seconds: recording.seconds,
    latencyMs: manner.latencyMs,
    micros,
    cost: micros / 1e6,
    inputTokens: Math.ceil(recording.seconds * INPUT_TOKENS_PER_SECOND),
    outputTokens: wordsOf(text).length * OUTPUT_TOKENS_PER_WORD,
  };
}

/** The body of a successful answer (2.6). */
function transcriptBody(record: TranscriptionRecord, manner: Manner): Record<string, unknown> {
  const { text, language, seconds, inputTokens, outputTokens, cost } = record;
  const usage = {
    cost,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    seconds,
    total_tokens: inputTokens + outputTokens,
  };
  const rest = manner.usage ? { usage } : {};
  if (record.responseFormat === "json") return { text, ...rest };
  const segments = text === "" ? [] : [{ id: 0, start: 0, end: seconds, text }];
  return {
    text,
    task: "transcribe",
    language,
    duration: seconds,
    segments,
    ...(manner.confidence === null ? {} : { confidence: manner.confidence }),
    ...rest,
  };
}

/** Contract section 8: free variants have 20 requests a minute. */
const FREE_REQUESTS_PER_MINUTE = 20;

/** Admits a call or refuses it: 402 without credits, 403 beyond a budget, 429 above the limits of free variants. */
function admit(context: Context, key: Key, model: Model): void {
  const now = context.clock.now();
  const shortage = shortageOf(context.ledger, key, model, now);
  if (shortage === "budget") {
    const metadata = refusingBudget(context, key, now);
    throw new Refusal(403, "Budget exceeded", context.switches.refusalSources ? { metadata } : {});
  }
  if (shortage !== null) {
    const metadata = { limit_source: shortage };
    throw new Refusal(402, undefined, context.switches.refusalSources ? { metadata } : {});
  }
  if (model.free) admitFree(context, key, now);
}

/** What a refusal says of the budget (vendor-2026-10, 2). */
function refusingBudget({ ledger }: Context, key: Key, now: number): Record<string, unknown> {
  const budget = exhaustedBudget(ledger, key, now);
  if (budget === undefined) return {};
  const { end } = windowOf(budget.reset, now);
  return {
    limit_source: `openrouter_${budget.scope === "workspace" ? "workspace" : "guardrail"}_budget`,
    scope: budget.scope,
    limit_usd: budget.micros / 1e6,
    spend_usd: budgetSpentMicros(ledger, budget, now, now) / 1e6,
    resets_at: end === null ? null : new Date(end).toISOString(),
  };
}

/** Extra keys do not raise the limits (section 5 rule 5), so both are counted per account. */
function admitFree(context: Context, key: Key, now: number): void {
  const { counters, ledger } = context;
  const day = freeRequestsPerDay(key, now);
  if (ledger.freeRequests(key.account, now) >= day) throw tooMany(day, "day", dayStart(now) + DAY);
  const minute = Math.floor(now / MINUTE);
  const name = `${key.account.name} ${minute}`;
  const used = counters.freeCallsPerMinute.get(name) ?? 0;
  if (used >= FREE_REQUESTS_PER_MINUTE) {
    throw tooMany(FREE_REQUESTS_PER_MINUTE, "minute", (minute + 1) * MINUTE);
  }
  if (used === 0) forgetOtherMinutes(counters.freeCallsPerMinute, minute);
  counters.freeCallsPerMinute.set(name, used + 1);
}

function forgetOtherMinutes(calls: Map<string, number>, minute: number): void {
  for (const name of calls.keys()) if (!name.endsWith(` ${minute}`)) calls.delete(name);
}

function tooMany(limit: number, period: string, resetAt: number): Refusal {
  return new Refusal(429, `Rate limit exceeded: ${limit} requests to free models per ${period}`, {
    metadata: { error_type: "rate_limit_exceeded" },
    hitLimit: { limit, remaining: 0, resetAt },
  });
}
