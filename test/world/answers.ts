import { analyticsBody, type AnswerContext, knowsByok } from "./analytics-answers.ts";
import type { KeyRow, Question } from "./questions.ts";
import type { Fault } from "./story.ts";
import { FOREIGN, isManagement, WORKSPACES } from "./account-keys.ts";
import { BEGINNING, type KeyFigures, resetEnd } from "./books.ts";

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
          context.keys.lifetime(question.account ?? 0)?.expiresMs,
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

/** The answer to a question about the account, or the status of its refusal. */
function accountBody(question: Question, fault: Fault | undefined, context: AnswerContext): object | number {
  const { path } = context;
  const isAllowed = isManagement(question.account);
  // The gateway refuses all others, but answers this question with zeros.
  if (path.endsWith("/credits")) return isAllowed ? credits(question, context) : ZEROS;
  if (!isAllowed) return 403;
  if (path.endsWith("/meta")) return meta(context);
  return path.includes("/workspaces") ? workspaces(context) : page(question, fault, context);
}

const ZEROS = { data: { total_credits: 0, total_usage: 0 } };

const named = (name: string) => ({ name, display_label: name });
function meta({ story, time }: AnswerContext): object {
  const money = knowsByok(story, time.trueMs()) ? ["credits_usage", "byok_usage"] : [];
  return {
    data: {
      metrics: ["total_usage", ...money, "request_count", "tokens_total"].map(named),
      dimensions: ["model", "app", "api_key_id"].map(named),
      operators: [],
      granularities: ["hour", "day", "month"].map(named),
    },
  };
}

function workspaces({ path }: AnswerContext): object {
  const offset = Number(new URLSearchParams(path.replace(/^[^?]*/, "")).get("offset"));
  const all = WORKSPACES.map((id) => ({ id, name: `Workspace ${id}` }));
  return { data: all.slice(offset), total_count: all.length };
}

function credits(question: Question, { books }: AnswerContext): object {
  const { ledger, asOfMs } = question;
  const known = { bought: books.bought(ledger, asOfMs), spent: books.spent(ledger, asOfMs) };
  Object.assign(question, { credits: known });
  return { data: { total_credits: known.bought / 1e6, total_usage: known.spent / 1e6 } };
}

function page(question: Question, fault: Fault | undefined, context: AnswerContext): object {
  const { path, story, files, keys, time } = context;
  const parameters = new URLSearchParams(path.replace(/^[^?]*/, ""));
  const offset = Number(parameters.get("offset"));
  const workspace = parameters.get("workspace_id") ?? WORKSPACES[0];
  const nowMs = time.trueMs();
  const isForeign = question.account === FOREIGN;
  const all = keys
    .existing(nowMs)
    .filter((key) => keys.workspace(key, nowMs) === workspace)
    .map((key): KeyRow => ({ key, hash: files.listedHash(key, isForeign), title: keys.title(key, nowMs) }));
  const sent = all.slice(offset, offset + (story.account?.pageSize ?? 0));
  const isBad = (index: number) => fault?.what === "bad_row" && index === sent.length - 1;
  Object.assign(question, { page: { workspace, offset, rows: sent.filter((_, index) => !isBad(index)) } });
  return { data: sent.map((row, index) => (isBad(index) ? { name: "?" } : rowBody(row, question, context))) };
}

function rowBody({ key, hash, title }: KeyRow, question: Question, context: AnswerContext): object {
  const { ledger, asOfMs } = question;
  const { books, keys } = context;
  return {
    ...keyBody(books.key({ gateway: ledger, number: key }, asOfMs), asOfMs, keys.lifetime(key)?.expiresMs),
    hash,
    name: title,
    disabled: keys.isDisabled(key, asOfMs),
    created_at: new Date(Math.max(BEGINNING, keys.lifetime(key)?.fromMs ?? BEGINNING)).toISOString(),
    workspace_id: keys.workspace(key, asOfMs),
  };
}

/** What the gateway sends about a key, with its own secret and in a list. */
export function keyBody(figures: KeyFigures, atMs: number, expiresMs = Infinity): object {
  const { label, usage, byok, limit, reset, countsByok, remaining } = figures;
  // Not every gateway reports it.
  const neverExpires = resetEnd(figures, atMs) === undefined ? null : undefined;
  return {
    label,
    limit: written(limit),
    limit_reset: reset,
    limit_remaining: written(remaining),
    include_byok_in_limit: countsByok,
    usage: written(usage.total),
    usage_daily: written(usage.day),
    usage_weekly: written(usage.week),
    usage_monthly: written(usage.month),
    byok_usage: written(byok.total),
    byok_usage_daily: written(byok.day),
    byok_usage_weekly: written(byok.week),
    byok_usage_monthly: written(byok.month),
    is_free_tier: false,
    expires_at: expiresMs === Infinity ? neverExpires : new Date(expiresMs).toISOString(),
  };
}

function written(micros: number | null): number | null {
  return micros === null ? null : micros / 1e6;
}
