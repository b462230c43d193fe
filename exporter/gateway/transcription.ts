import { z } from "zod";
import type { SecretSource } from "../config/secret.ts";
import { GatewayError } from "./errors.ts";
import type { Http } from "./http.ts";
import { transcriptionBody, type TranscriptionRequest } from "./transcription-request.ts";
import { optional, shapeProblem, wireNumber } from "./wire.ts";

/** An answer of `POST /audio/transcriptions` (contract 2.6). Undefined: the answer did not tell. */
export interface Transcription {
  readonly text: string;
  readonly usage: {
    readonly costCredits: number | undefined;
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
    readonly totalTokens: number | undefined;
    readonly seconds: number | undefined;
  };
  /** 0 to 1; with `verbose_json` only, as the rest. */
  readonly confidence: number | undefined;
  readonly durationSeconds: number | undefined;
  /** Detected, or forced by the request. */
  readonly language: string | undefined;
  readonly task: string | undefined;
  /** Their fields are not told. */
  readonly segments: readonly unknown[] | undefined;
  readonly words: readonly unknown[] | undefined;
}

/** Who asks, and for how long at most. */
export interface TranscriptionCall {
  /** Name of the probe. */
  readonly name: string;
  readonly secret: SecretSource;
  /** From the start of the request to the last byte of the answer. */
  readonly timeoutMs: number;
}

/**
 * `POST /audio/transcriptions` (contract 4), once: a failed one may have cost money, so it is never repeated.
 * @throws RangeError when the request is outside the contract's bounds; GatewayError as Http.send, and `bad_response`
 * when the answer has no text.
 */
export async function transcribe(
  http: Http,
  call: TranscriptionCall,
  request: TranscriptionRequest,
  signal: AbortSignal,
): Promise<Transcription> {
  const action = `transcribe with probe "${call.name}"`;
  const body = await http.send(
    {
      endpoint: "transcription",
      target: `probe/${call.name}`,
      action,
      method: "POST",
      path: "/audio/transcriptions",
      body: transcriptionBody(request),
      secret: call.secret,
      onceWithinMs: call.timeoutMs,
    },
    signal,
  );
  return parseTranscription(body, action);
}

/** @throws GatewayError `bad_response` when there is no text. What else cannot be read is not told. */
export function parseTranscription(body: unknown, action: string): Transcription {
  const parsed = TranscriptionBody.safeParse(body);
  if (!parsed.success) {
    throw new GatewayError("bad_response", `Cannot ${action}: ${shapeProblem(parsed.error)}`);
  }
  const { text, usage, confidence, duration, language, task, segments, words } = parsed.data;
  return {
    text,
    usage: {
      costCredits: usage?.cost,
      inputTokens: usage?.input_tokens,
      outputTokens: usage?.output_tokens,
      totalTokens: usage?.total_tokens,
      seconds: usage?.seconds,
    },
    confidence,
    durationSeconds: duration,
    language,
    task,
    segments,
    words,
  };
}

/** An amount that makes no sense is as good as none: neither counts, nor seconds, nor credits run backwards. */
const amount = optional(wireNumber.pipe(z.number().min(0)));

const TranscriptionBody = z.object({
  text: z.string(),
  usage: optional(
    z.object({
      cost: amount,
      input_tokens: amount,
      output_tokens: amount,
      total_tokens: amount,
      seconds: amount,
    }),
  ),
  confidence: optional(wireNumber.pipe(z.number().min(0).max(1))),
  duration: amount,
  language: optional(z.string()),
  task: optional(z.string()),
  segments: optional(z.array(z.unknown())),
  words: optional(z.array(z.unknown())),
});
