import type { Fields } from "../fields.ts";
import type { TranscriptionRequest } from "./request.ts";

/** A charged transcription, whether or not its answer arrived. */
export type TranscriptionRecord = {
  readonly at: number;
  /** Equal to the answer's X-Request-Id. */
  readonly requestId: string;
  readonly key: string;
  readonly model: string;
  readonly sessionId: string | null;
  readonly user: string | null;
  readonly trace: Fields | null;
  readonly provider: Fields | null;
  readonly upload: TranscriptionRequest["upload"];
  readonly format: string;
  readonly sha256: string;
  readonly responseFormat: TranscriptionRequest["responseFormat"];
  readonly granularities: TranscriptionRequest["granularities"];
  readonly temperature: number | null;
  /** The forced or detected language. */
  readonly language: string;
  readonly isLanguageForced: boolean;
  readonly text: string;
  readonly seconds: number;
  readonly latencyMs: number;
  readonly micros: number;
  /** As on the wire. */
  readonly cost: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
};
