import { FOREIGN, isManagement, type AccountKeys } from "./account-keys.ts";
import { sumOf, type Books } from "./books.ts";
import { DAY_MS, formerStart, windowStart } from "./calendar.ts";
import type { Amounts, Question, UsageAnswer } from "./questions.ts";
import type { Fault, Story } from "./story.ts";
import type { WorldClock } from "./world-clock.ts";
import type { WorldFiles } from "./world-files.ts";

/** The number of rows that a truncated answer keeps. */
const CAP = 2;

interface Row extends Amounts {
  readonly labels: Readonly<Record<string, string | null>>;
  /** The hour or day, if rows have one. */
  readonly column: Readonly<Record<string, string>>;
}

/** The answer to a query, or the status of its refusal. */
export function analyticsBody(
  question: Question,
  fault: Fault | undefined,
  context: AnswerContext,
): object | number {
  if (!isManagement(question.account)) return 403;
  const { metrics, time_range: range, dimensions, ...rest } = JSON.parse(context.body);
  const { granularity, filters: [filter] = [] } = rest;
  if (filter && fault?.what === "no_filter") return 400;
  const { asOfMs, startMs, isStale } = timesOf(question, fault, Date.parse(range.start), context);
  const endMs = Math.min(asOfMs, Date.parse(range.end));
  const { filter: known, unknown } = resolved(question, filter, context);
  // Before the metric there is no BYOK, so that what follows from the total is true.
  const isEnriched = metrics.includes("credits_usage");
  const asked: Asked = { dimensions, filter: known, isEnriched };
  const buckets = granularity ? bucketsOf(startMs, endMs, granularity) : [{ startMs, endMs }];
  const all = buckets.flatMap((bucket) => rowsOf(question, bucket, asked, context));
  const rows = dimensions === undefined ? all : sent(all, fault);
  const isPartial = rows.length < all.length;
  const usage = {
    startMs,
    endMs,
    isGrouped: dimensions !== undefined,
    isOfKeys: dimensions?.[0] === "api_key_id",
    ...filtered(filter),
    isWarned: unknown.length > 0,
    rows: byLabels(rows),
    total: sumOf(all),
    isPartial,
  };
  Object.assign(question, { asOfMs, usage: granularity ? undefined : usage });
  const data = rows.map((row) => rowBody(row, asked));
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

/** Whether the gateway reports BYOK: since the beginning, or since it has the metric. */
export function knowsByok(
  { account, start, events }: Pick<Story, "account" | "start" | "events">,
  atMs: number,
) {
  const since = events.find((event) => event.do === "metric")?.at ?? 0;
  return account !== undefined && atMs >= Date.parse(start) + since * 1000;
}

/** The hours or days of a time range. */
function bucketsOf(startMs: number, endMs: number, granularity: "hour" | "day"): readonly Bucket[] {
  const lengthMs = granularity === "hour" ? 3_600_000 : DAY_MS;
  const first = Math.floor(startMs / lengthMs);
  return Array.from({ length: Math.max(0, Math.ceil(endMs / lengthMs) - first) }, (_, index) => {
    const bucketMs = (first + index) * lengthMs;
    return {
      startMs: Math.max(startMs, bucketMs),
      endMs: Math.min(endMs, bucketMs + lengthMs),
      column: { [`date__${granularity}`]: new Date(bucketMs).toISOString() },
    };
  });
}

interface Bucket {
  readonly startMs: number;
  readonly endMs: number;
  readonly column?: Readonly<Record<string, string>>;
}

/** A cache answers as of the time before the fault. */
function timesOf(question: Question, fault: Fault | undefined, startMs: number, { time }: AnswerContext) {
  const isStale = fault?.what === "stale";
  if (!isStale) return { asOfMs: question.asOfMs, startMs, isStale };
  const asOfMs = time.trueMs() - (question.at - fault.at * 1000) - 60_000;
  return { asOfMs, startMs: startThen(startMs, time.trueMs(), asOfMs), isStale };
}

interface Asked {
  readonly dimensions: readonly string[] | undefined;
  /** Which keys count; undefined is use without a key. Undefined: all. */
  readonly filter: ((key: number | undefined) => boolean) | undefined;
  readonly isEnriched: boolean;
}

interface WireFilter {
  readonly operator: "in" | "not_in";
  readonly value: readonly string[];
}

function filtered(filter: WireFilter | undefined): Pick<UsageAnswer, "excluded" | "only"> {
  const { operator, value = [] } = filter ?? {};
  return {
    excluded: operator === "not_in" ? new Set(value) : undefined,
    only: operator === "in" ? value[0] : undefined,
  };
}

/** The filter by the keys that the gateway knows, and the hashes of the others. Without any known key there is none. */
function resolved(question: Question, filter: WireFilter | undefined, { files, keys, time }: AnswerContext) {
  const existing = new Set(keys.existing(time.trueMs()));
  const numbers = new Map(
    (filter?.value ?? []).map((hash) => {
      const number = files.accountOfHash(hash, question.account === FOREIGN) ?? -1;
      return [hash, existing.has(number) ? number : undefined] as const;
    }),
  );
  const known = new Set([...numbers.values()].filter((number) => number !== undefined));
  const unknown = [...numbers].flatMap(([hash, number]) => (number === undefined ? [hash] : []));
  const counts = (key: number | undefined) => {
    const isNamed = key !== undefined && known.has(key);
    return filter?.operator === "in" ? isNamed : !isNamed;
  };
  return { filter: known.size > 0 ? counts : undefined, unknown };
}

/** The rows of a time range. A sum over nothing is no row. */
function rowsOf(
  { ledger }: Question,
  { startMs, endMs, column = {} }: Bucket,
  { dimensions = [], filter, isEnriched }: Asked,
  { books, keys, time }: AnswerContext,
): readonly Row[] {
  const nowMs = time.trueMs();
  if (filter && dimensions.includes("app")) throw new Error("No key is known of an app");
  const parts: readonly Part[] = dimensions.includes("app")
    ? books.pairs(ledger, startMs, endMs)
    : books.ofKeys(ledger, startMs, endMs).filter(({ key }) => filter?.(key) !== false);
  // Keys with the same name have a row each.
  const groups = Map.groupBy(parts, ({ key, model, app }) =>
    dimensions.map((name) => ({ api_key_id: key, model, app })[name]).join("|"),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const title = first?.key === undefined ? "Chatroom" : keys.title(first.key, nowMs);
    const named = new Map<string, string | null>([
      ["api_key_id", title],
      ["model", first?.model ?? null],
      ["app", first?.app ?? null],
    ]);
    const labels = Object.fromEntries(dimensions.map((name) => [name, named.get(name) ?? null]));
    const amounts = sumOf(group);
    return [{ labels, column, ...amounts, ...(!isEnriched && { byok: 0 }) }];
  });
}

interface Part extends Amounts {
  readonly key?: number | undefined;
  readonly model: string;
  readonly app?: string | null;
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

function rowBody({ labels, column, micros, byok, requests, ...tokens }: Row, { isEnriched }: Asked): object {
  const { prompt, completion, reasoning } = tokens;
  return {
    ...column,
    ...labels,
    total_usage: (micros + byok) / 1e6,
    ...(isEnriched && { credits_usage: micros / 1e6, byok_usage: byok / 1e6 }),
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
  readonly story: Pick<Story, "account" | "start" | "events">;
  readonly books: Books;
  readonly files: Pick<WorldFiles, "accountOfHash" | "listedHash">;
  readonly keys: AccountKeys;
  readonly time: Pick<WorldClock, "trueMs">;
}
