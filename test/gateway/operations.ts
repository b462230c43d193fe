import { answerAnalytics } from "./analytics/operation.ts";
import type { Answer } from "./answer.ts";
import type { Call, Context, Endpoint } from "./context.ts";
import { answerKey } from "./key-operation.ts";
import { answerTranscription } from "./transcription/operation.ts";

export type Operation = {
  readonly endpoint: Endpoint;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly answer: (context: Context, call: Call) => Answer;
};

/** The operations of contract section 4. A new operation needs one line here and its own file. */
export const operations: readonly Operation[] = [
  { endpoint: "key", method: "GET", path: "/key", answer: answerKey },
  { endpoint: "analytics", method: "POST", path: "/analytics/query", answer: answerAnalytics },
  {
    endpoint: "transcription",
    method: "POST",
    path: "/audio/transcriptions",
    answer: answerTranscription,
  },
];
