import { accountBody } from "./account-answers.ts";
import type { AnswerContext } from "./answer-context.ts";
import { analyticsBody } from "./analytics-answers.ts";
import { keyBody } from "./key-body.ts";
import type { Question } from "./questions.ts";
import type { Fault } from "./story.ts";

/** What the gateway sends. */
export type Reply =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly text: string;
      readonly isGood: boolean;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: "reset" | "silence" };

/** The answer to a question, by the contract and the fault that concerns it. */
export function answerTo(question: Question, fault: Fault | undefined, context: AnswerContext): Reply {
  const { what } = fault ?? {};
  if (what === "reset") return { kind: "reset" };
  if (what === "hang") return { kind: "silence" };
  if (question.account === undefined) return refusal(401, undefined);
  if (fault && typeof what === "number") return refusal(what, secondsOf(fault.retryAfter));
  if (fault && what === "quota")
    return refusal(429, fault.retryAfter === undefined ? undefined : nextMinute(context));
  if (what === "garbage") return { ...good("<html>"), isGood: false };
  return goodAnswer(question, fault, context);
}

function goodAnswer(question: Question, fault: Fault | undefined, context: AnswerContext): Reply {
  switch (question.endpoint) {
    case "key":
      return good({
        data: keyBody(
          context.books.key({ gateway: question.gateway, number: question.account ?? 0 }, question.asOfMs),
          question.asOfMs,
        ),
      });
    case "analytics":
      return replyOf(analyticsBody(question, fault, context));
    case "account":
      return replyOf(accountBody(question, fault, context));
    case "transcription": {
      const cost = (question.costMicros ?? 0) / 1e6;
      return good({
        text: "hello world",
        usage: fault?.what === "no_cost" ? { seconds: 2 } : { cost, seconds: 2 },
      });
    }
  }
}

/** A number is the status of a refusal. */
function replyOf(body: object | number): Reply {
  return typeof body === "number" ? refusal(body, undefined) : good(body);
}

function good(body: unknown): Extract<Reply, { kind: "answer" }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answer", status: 200, headers: {}, text, isGood: true, retryAfterMs: undefined };
}

function refusal(status: number, retryAfterMs: number | undefined): Reply {
  return {
    kind: "answer",
    status,
    headers: retryAfterMs === undefined ? {} : { "retry-after": String(retryAfterMs / 1000) },
    text: JSON.stringify({ error: { code: status, message: `refused with ${status}` } }),
    isGood: false,
    retryAfterMs: status === 429 || status === 503 ? retryAfterMs : undefined,
  };
}

function secondsOf(retryAfter: number | undefined): number | undefined {
  return retryAfter === undefined ? undefined : retryAfter * 1000;
}

function nextMinute({ time }: AnswerContext): number {
  return Math.ceil((60_000 - (time.trueMs() % 60_000)) / 1000) * 1000;
}
