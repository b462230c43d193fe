import { isManagement, type AccountKeys } from "./account-keys.ts";
import { type KeyModelFigures, sumOf, type Books } from "./books.ts";
import { formerStart, windowStart } from "./calendar.ts";
import type { Amounts, Question } from "./questions.ts";
import type { Fault, Story } from "./story.ts";
import type { WorldClock } from "./world-clock.ts";
import type { WorldFiles } from "./world-files.ts";

/** The number of rows that a truncated answer keeps. */
const CAP = 2;

interface Row extends Amounts {
  readonly labels: Readonly<Record<string, string | null>>;
}

/** The answer to a query, or the status of its refusal. */
export function analyticsBody(
  question: Question,
  fault: Fault | undefined,
  context: AnswerContext,
): object | number {
  if (!isManagement(question.account)) return 403;
  const { time_range: range, dimensions, filters: [filter] = [] } = JSON.parse(context.body);
  if (filter && fault?.what === "no_filter") return 400;
  const { asOfMs, startMs, isStale } = timesOf(question, fault, Date.parse(range.start), context);
  const endMs = Math.min(asOfMs, Date.parse(range.end));
  const excluded: ReadonlySet<string> | undefined = filter && new Set(filter.value);
  const isOfKeys = dimensions?.[0] === "api_key_id";
  const { rows: all, unknown } = rowsOf(question, { startMs, endMs, excluded, isOfKeys }, context);
  const rows = dimensions === undefined ? all : sent(all, fault);
  const isPartial = rows.length < all.length;
  Object.assign(question, {
    asOfMs,
    usage: {
      startMs,
      endMs,
      isGrouped: dimensions !== undefined,
      isOfKeys,
      excluded,
      isWarned: unknown.length > 0,
      rows: byLabels(rows),
      total: sumOf(all),
      isPartial,
    },
  });
  const isTotal = dimensions === undefined;
  const data = isTotal ? totalRows(all, context) : rows.map((row) => rowBody(row, context));
  return {
    data: {
      data,
      metadata: {
        query_time_ms: 5,
        row_count: data.length,
        truncated: isPartial && fault?.what === "truncated",
      },
      ...((isStale || question.number % 2 === 0) && { cachedAt: asOfMs }),
      ...(unknown.length > 0 && { warnings: unknown.map((hash) => `Cannot resolve api_key_id ${hash}`) }),
    },
  };
}

/** A cache answers as of the time before the fault. */
function timesOf(question: Question, fault: Fault | undefined, startMs: number, { time }: AnswerContext) {
  const isStale = fault?.what === "stale";
  if (!isStale) return { asOfMs: question.asOfMs, startMs, isStale };
  const asOfMs = time.trueMs() - (question.at - fault.at * 1000) - 60_000;
  return { asOfMs, startMs: startThen(startMs, time.trueMs(), asOfMs), isStale };
}

interface Asked {
  readonly startMs: number;
  readonly endMs: number;
  readonly excluded: ReadonlySet<string> | undefined;
  readonly isOfKeys: boolean;
}

/** Every row, and the excluded hashes that no existing key of the account has. */
function rowsOf(
  { gateway }: Question,
  { startMs, endMs, excluded = new Set(), isOfKeys }: Asked,
  { books, files, keys, story, time }: AnswerContext,
): { readonly rows: readonly Row[]; readonly unknown: readonly string[] } {
  const nowMs = time.trueMs();
  const existing = new Set(keys.existing(nowMs));
  const numberOf = (hash: string) => files.accountOfHash(hash) ?? -1;
  const hidden = new Set([...excluded].map(numberOf).filter((key) => existing.has(key)));
  const unknown = [...excluded].filter((hash) => !existing.has(numberOf(hash)));
  // An older service knows nothing of BYOK.
  const known = <Part extends Amounts>(part: Part): Part => (story.account ? part : { ...part, byok: 0 });
  if (!isOfKeys && excluded.size === 0) {
    const pairs = books.pairs(gateway, startMs, endMs).map(known);
    return {
      rows: pairs.map(({ model, app, ...amounts }) => ({ labels: { model, app }, ...amounts })),
      unknown,
    };
  }
  const parts = books.ofKeys(gateway, startMs, endMs).map(known);
  const rows = parts
    .filter(({ key }) => key === undefined || !hidden.has(key))
    .map(({ key, model, ...amounts }: KeyModelFigures): Row => ({
      labels: { api_key_id: key === undefined ? "Chatroom" : keys.title(key, nowMs), model },
      ...amounts,
    }));
  return { rows, unknown };
}

/** The cache answers the same question as of an earlier time: about the window that was running then. */
function startThen(startMs: number, nowMs: number, thenMs: number): number {
  const current = WINDOWS.find((window) => windowStart(window, nowMs) === startMs);
  const former = WINDOWS.find((window) => formerStart(window, nowMs) === startMs);
  if (current) return windowStart(current, thenMs);
  return former ? formerStart(former, thenMs) : startMs;
}

const WINDOWS = ["day", "week", "month"] as const;

function sent(all: readonly Row[], fault: Fault | undefined): readonly Row[] {
  const sorted = all.toSorted((one, other) => other.micros - one.micros);
  if (fault?.what === "truncated") return sorted.slice(0, CAP);
  return fault?.what === "left_out" ? sorted.filter(({ labels }) => labels["app"] !== null) : sorted;
}

/** Rows with the same labels are one series. */
function byLabels(rows: readonly Row[]): ReadonlyMap<string, Amounts> {
  const groups = Map.groupBy(rows, ({ labels }) =>
    Object.values(labels)
      .map((label) => label ?? "_none")
      .join("|"),
  );
  return new Map([...groups].map(([labels, parts]) => [labels, sumOf(parts)]));
}

function totalRows(all: readonly Row[], context: AnswerContext): readonly object[] {
  return all.length === 0 ? [] : [amountFields(sumOf(all), context)];
}

function rowBody({ labels, ...amounts }: Row, context: AnswerContext): object {
  return { ...labels, ...amountFields(amounts, context) };
}

function amountFields(amounts: Amounts, { story }: AnswerContext): object {
  const { micros, byok, requests, prompt, completion, reasoning } = amounts;
  return {
    total_usage: (micros + byok) / 1e6,
    ...(story.account && { credits_usage: micros / 1e6, byok_usage: byok / 1e6 }),
    request_count: requests,
    tokens_total: prompt + completion,
    tokens_prompt: prompt,
    tokens_completion: completion,
    reasoning_tokens: reasoning,
  };
}

/** A request, and what its answer follows from. */
export interface AnswerContext {
  readonly path: string;
  readonly body: string;
  readonly story: Pick<Story, "account">;
  readonly books: Books;
  readonly files: Pick<WorldFiles, "accountOfHash" | "listedHash">;
  readonly keys: AccountKeys;
  readonly time: Pick<WorldClock, "trueMs">;
}
