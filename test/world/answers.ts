import { type Books, type KeyFigures, type PairFigures, resetEnd } from "./books.ts";
import { formerStart, windowStart } from "./calendar.ts";
import type { Amounts, Question } from "./questions.ts";
import type { Fault } from "./story.ts";
import type { WorldClock } from "./world-clock.ts";

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

export interface AnswerContext {
  readonly body: string;
  readonly books: Books;
  readonly time: Pick<WorldClock, "trueMs">;
}

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
      return analytics(question, fault, context);
    case "transcription": {
      const cost = (question.costMicros ?? 0) / 1e6;
      return good({
        text: "hello world",
        usage: fault?.what === "no_cost" ? { seconds: 2 } : { cost, seconds: 2 },
      });
    }
  }
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

function keyBody(figures: KeyFigures, atMs: number): object {
  const { label, usage, byok, limit, reset, remaining } = figures;
  return {
    label,
    limit: credits(limit),
    limit_reset: reset,
    limit_remaining: credits(remaining),
    include_byok_in_limit: false,
    usage: credits(usage.total),
    usage_daily: credits(usage.day),
    usage_weekly: credits(usage.week),
    usage_monthly: credits(usage.month),
    byok_usage: credits(byok.total),
    byok_usage_daily: credits(byok.day),
    byok_usage_weekly: credits(byok.week),
    byok_usage_monthly: credits(byok.month),
    is_free_tier: false,
    expires_at: resetEnd(figures, atMs) === undefined ? null : undefined,
  };
}

function credits(micros: number | null): number | null {
  return micros === null ? null : micros / 1e6;
}

/** The number of rows that a truncated answer keeps. */
const CAP = 2;

function analytics(
  question: Question,
  fault: Fault | undefined,
  { body, books, time }: AnswerContext,
): Reply {
  const { time_range: range, dimensions } = JSON.parse(body);
  const isStale = fault?.what === "stale";
  const asOfMs = isStale ? time.trueMs() - (question.at - fault.at * 1000) - 60_000 : question.asOfMs;
  const asked = Date.parse(range.start);
  const startMs = isStale ? startThen(asked, time.trueMs(), asOfMs) : asked;
  const endMs = Math.min(asOfMs, Date.parse(range.end));
  const isGrouped = dimensions !== undefined;
  const all = books.pairs(question.gateway, startMs, endMs);
  const rows = isGrouped ? sent(all, fault) : all;
  const isPartial = rows.length < all.length;
  Object.assign(question, {
    asOfMs,
    usage: {
      startMs,
      endMs,
      isGrouped,
      rows: new Map(rows.map((pair) => [`${pair.model}|${pair.app ?? "_none"}`, pair])),
      total: totalOf(all),
      isPartial,
    },
  });
  const data = isGrouped
    ? rows.map((row) => ({ model: row.model, app: row.app, ...amountFields(row) }))
    : totalRows(all);
  return good({
    data: {
      data,
      metadata: {
        query_time_ms: 5,
        row_count: data.length,
        truncated: isPartial && fault?.what === "truncated",
      },
      ...((isStale || question.number % 2 === 0) && { cachedAt: asOfMs }),
    },
  });
}

/** The cache answers the same question as of an earlier time: about the window that was running then. */
function startThen(startMs: number, nowMs: number, thenMs: number): number {
  const current = WINDOWS.find((window) => windowStart(window, nowMs) === startMs);
  const former = WINDOWS.find((window) => formerStart(window, nowMs) === startMs);
  if (current) return windowStart(current, thenMs);
  return former ? formerStart(former, thenMs) : startMs;
}

const WINDOWS = ["day", "week", "month"] as const;

function sent(all: readonly PairFigures[], fault: Fault | undefined): readonly PairFigures[] {
  const sorted = all.toSorted((one, other) => other.micros - one.micros);
  if (fault?.what === "truncated") return sorted.slice(0, CAP);
  return fault?.what === "left_out" ? sorted.filter(({ app }) => app !== null) : sorted;
}

function totalRows(all: readonly PairFigures[]): readonly object[] {
  return all.length === 0 ? [] : [amountFields(totalOf(all))];
}

function totalOf(all: readonly PairFigures[]): Amounts {
  const sum = (name: keyof Amounts) => all.reduce((added, pair) => added + pair[name], 0);
  return {
    micros: sum("micros"),
    requests: sum("requests"),
    prompt: sum("prompt"),
    completion: sum("completion"),
    reasoning: sum("reasoning"),
  };
}

function amountFields({ micros, requests, prompt, completion, reasoning }: Amounts): object {
  return {
    total_usage: micros / 1e6,
    request_count: requests,
    tokens_total: prompt + completion,
    tokens_prompt: prompt,
    tokens_completion: completion,
    reasoning_tokens: reasoning,
  };
}
