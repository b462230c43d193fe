import type { TranscriptionRequest } from "./request.ts";

/** A charged transcription, whether or not its answer arrived. */
export type TranscriptionRecord = {
  readonly at: number;
  /** Equal to the answer's X-Request-Id. */
  readonly requestId: string;
  readonly key: string;
  readonly model: string;
  readonly upload: TranscriptionRequest["upload"];
  readonly format: string;
  readonly sha256: string;
  readonly responseFormat: TranscriptionRequest["responseFormat"];
  /** The detected one. */
  readonly language: string;
  readonly text: string;
  readonly seconds: number;
  readonly latencyMs: number;
  readonly micros: number;
  /** As on the wire. */
  readonly cost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
};
