import { createHash } from "node:crypto";
import type { TranscriptionRequest } from "./request.ts";

/** The spoken text of a recording, identified by the SHA-256 of its bytes. */
export type Recording = {
  readonly sha256: string;
  readonly text: string;
  readonly seconds: number;
  /** The detected language, ISO-639-1. */
  readonly language: string;
};

/** The bundled sample (exporter/probes/sample), or the one text of all other audio. */
export function recordingOf(audio: Uint8Array): Recording {
  const sha256 = createHash("sha256").update(audio).digest("hex");
  return sha256 === sample.sha256 ? sample : { ...unknownRecording, sha256 };
}

export const sample: Recording = {
  sha256: "69998249b34bed6b2b83ff6b3c3cd609652e08368ea868d26ec23db045b7e44e",
  text: "Every key counts credits, and a warning comes before they run out.",
  seconds: 4.104,
  language: "en",
};

/** The text of all unknown audio, because the simulation cannot transcribe. */
const unknownRecording: Omit<Recording, "sha256"> = {
  text: "The simulation does not know this recording.",
  seconds: 2.5,
  language: "en",
};

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
