import { isManagement } from "./account-keys.ts";
import type { AnswerContext } from "./answer-context.ts";
import { BEGINNING } from "./books.ts";
import { keyBody } from "./key-body.ts";
import type { KeyRow, Question } from "./questions.ts";
import type { Fault } from "./story.ts";

/** The answer to a question about the account, or the status of its refusal. */
export function accountBody(
  question: Question,
  fault: Fault | undefined,
  context: AnswerContext,
): object | number {
  const { path } = context;
  const isAllowed = isManagement(question.account);
  // The gateway refuses all others, but answers this question with zeros.
  if (path.endsWith("/credits")) return isAllowed ? credits(question, context) : ZEROS;
  if (!isAllowed) return 403;
  return path.endsWith("/meta") ? META : page(question, fault, context);
}

const ZEROS = { data: { total_credits: 0, total_usage: 0 } };

const named = (name: string) => ({ name, display_label: name });
const META = {
  data: {
    metrics: ["total_usage", "credits_usage", "byok_usage", "request_count", "tokens_total"].map(named),
    dimensions: ["model", "app", "api_key_id"].map(named),
    operators: [],
    granularities: ["day", "month"].map(named),
  },
};

function credits(question: Question, { books }: AnswerContext): object {
  const { gateway, asOfMs } = question;
  const known = { bought: books.bought(gateway, asOfMs), spent: books.spent(gateway, asOfMs) };
  Object.assign(question, { credits: known });
  return { data: { total_credits: known.bought / 1e6, total_usage: known.spent / 1e6 } };
}

function page(question: Question, fault: Fault | undefined, context: AnswerContext): object {
  const { path, story, files, keys, time } = context;
  const offset = Number(new URLSearchParams(path.replace(/^[^?]*/, "")).get("offset"));
  const nowMs = time.trueMs();
  const all = keys
    .existing(nowMs)
    .map((key): KeyRow => ({ key, hash: files.listedHash(key), title: keys.title(key, nowMs) }));
  const sent = all.slice(offset, offset + (story.account?.pageSize ?? 0));
  const isBad = (index: number) => fault?.what === "bad_row" && index === sent.length - 1;
  Object.assign(question, { page: { offset, rows: sent.filter((_, index) => !isBad(index)) } });
  return { data: sent.map((row, index) => (isBad(index) ? { name: "?" } : rowBody(row, question, context))) };
}

function rowBody({ key, hash, title }: KeyRow, question: Question, context: AnswerContext): object {
  const { gateway, asOfMs } = question;
  const { books, keys } = context;
  return {
    ...keyBody(books.key({ gateway, number: key }, asOfMs), asOfMs),
    hash,
    name: title,
    disabled: keys.isDisabled(key, asOfMs),
    created_at: new Date(Math.max(BEGINNING, keys.lifetime(key)?.fromMs ?? BEGINNING)).toISOString(),
    workspace_id: null,
  };
}
