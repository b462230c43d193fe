import { answerCredits } from "./account/credits-operation.ts";
import { answerKeyByHash, answerKeys } from "./account/keys-operation.ts";
import { answerMeta } from "./analytics/meta.ts";
import { answerAnalytics } from "./analytics/operation.ts";
import type { Answer } from "./answer.ts";
import type { Call, Context } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";
import { answerKey } from "./key-operation.ts";
import { answerTranscription } from "./transcription/operation.ts";

export type Operation = {
  readonly endpoint: Endpoint;
  readonly method: "GET" | "POST";
  /** `*` is any one segment. */
  readonly path: string;
  readonly answer: (context: Context, call: Call) => Answer;
};

/** The operations of contract section 4, and those of a whole account. A new one needs one line here and its own file. */
export const operations: readonly Operation[] = [
  { endpoint: "key", method: "GET", path: "/key", answer: answerKey },
  { endpoint: "analytics", method: "POST", path: "/analytics/query", answer: answerAnalytics },
  {
    endpoint: "transcription",
    method: "POST",
    path: "/audio/transcriptions",
    answer: answerTranscription,
  },
  { endpoint: "meta", method: "GET", path: "/analytics/meta", answer: answerMeta },
  { endpoint: "keys", method: "GET", path: "/keys", answer: answerKeys },
  { endpoint: "keys", method: "GET", path: "/keys/*", answer: answerKeyByHash },
  { endpoint: "credits", method: "GET", path: "/credits", answer: answerCredits },
];

/** The operation of a request below the root; undefined for an unknown or missing one. */
export function operationOf(
  method: string,
  path: string,
  missing: readonly Endpoint[],
): Operation | undefined {
  const found = operations.find((operation) => operation.method === method && matches(operation.path, path));
  return found === undefined || missing.includes(found.endpoint) ? undefined : found;
}

function matches(wanted: string, path: string): boolean {
  const [names, segments] = [wanted.split("/"), path.split("/")];
  return (
    names.length === segments.length &&
    names.every((name, index) => name === segments[index] || (name === "*" && segments[index] !== ""))
  );
}
