import {
  type Amounts,
  NO_AMOUNTS,
  type SeriesQuestion,
  type Usage,
  type UsageAnswer,
  type UsageQuestion,
  type UsageSeries,
} from "../gateway/port.ts";
import { utcText } from "../time/utc-time.ts";
import { BUCKET_MS, SETTLE_MS, type Window } from "../time/window.ts";
import {
  ACCOUNT,
  ACCOUNT_NAME,
  keptAnswer,
  ofKey,
  PAIRS,
  PAIRS_NAME,
  type PastAnswer,
  ranges,
} from "./answers.ts";
import type { BackfillPlan } from "./plan.ts";

/** The questions of a backfill. Both need the management key. */
export interface PastGateway {
  /**
   * @param name what the question is about, for messages.
   * @throws GatewayError
   */
  usageSeries(question: SeriesQuestion, name: string): Promise<UsageSeries>;
  /** @throws GatewayError */
  usage(question: UsageQuestion, name: string): Promise<Usage>;
}

/** The gateway's answer cannot be used. */
export class PastError extends Error {
  /** What the question was about. */
  readonly subject: string;

  constructor({ name }: Pick<Subject, "name">, reason: string) {
    super(reason);
    this.subject = name;
  }
}

/**
 * Asks for everything that is not yet answered, and yields each answer once.
 * @param answered what earlier runs were answered: subjects and ends of their ranges.
 * @param leaveOut receives the hash of each key about which the gateway has no usable answer, and why. The
 * others are still asked.
 * @throws GatewayError; PastError if the gateway cuts rows, sends some that cannot be read or lack the
 * credits, or warns about the query.
 */
export async function* requestPast(
  plan: BackfillPlan,
  answered: AnsweredSoFar,
  gateway: PastGateway,
  leaveOut: (hash: string, error: unknown) => void,
): AsyncGenerator<PastAnswer> {
  yield* requestSums(plan, WHOLE_ACCOUNT, answered, gateway);
  for (const key of keysOf(plan)) {
    try {
      yield* requestSums(plan, key, answered, gateway);
      const isAfterNeeded =
        plan.untilMs < plan.plannedAtMs && !answered.isAfterKnown(key.id, plan.plannedAtMs);
      if (isAfterNeeded) yield await after(plan, key, gateway);
    } catch (error) {
      leaveOut(key.id, error);
    }
  }
  for (const part of ranges(plan)) yield* requestPairs(part, answered, gateway);
}

/** The sums of the account or of a key by hour and by day. */
async function* requestSums(
  plan: BackfillPlan,
  subject: Subject,
  answered: AnsweredSoFar,
  gateway: PastGateway,
): AsyncGenerator<PastAnswer> {
  const { id, name, isKey } = subject;
  for (const part of ranges(plan)) {
    if (answered.has(id, part.range.endMs)) continue;
    const filters = isKey ? ofKey(id) : [];
    const answer = await gateway.usageSeries({ ...part, dimensions: [], filters }, name);
    yield keptAnswer(id, part.range, counted(subject, part, answer));
  }
}

/** What a question is about. */
interface Subject {
  /** As answers have it. */
  readonly id: string;
  /** For messages. */
  readonly name: string;
  readonly isKey: boolean;
}

const WHOLE_ACCOUNT: Subject = { id: ACCOUNT, name: ACCOUNT_NAME, isKey: false };
const ALL_PAIRS: Subject = { id: PAIRS, name: PAIRS_NAME, isKey: false };

/** One for each secret, which may have several names. */
function keysOf({ keys }: BackfillPlan): readonly Subject[] {
  return [...Map.groupBy(keys, ({ hash }) => hash)].map(([id, [first]]) => ({
    id,
    name: first?.name ?? id,
    isKey: true,
  }));
}

/** Where an interrupted backfill continues. */
export interface AnsweredSoFar {
  /** How many questions are answered. */
  count(): number;
  /** Whether the subject is answered up to this end of a range. */
  has(subject: string, endMs: number): boolean;
  /** Whether the time from the written past until `endMs` is answered. */
  isAfterKnown(hash: string, endMs: number): boolean;
  /** Up to when the pairs are answered; undefined: not at all. */
  pairsUntilMs(): number | undefined;
}

/** What a key has used since the live series began: its all-time usage then is that of now without this. */
async function after(plan: BackfillPlan, key: Subject, gateway: PastGateway): Promise<PastAnswer> {
  const range = { startMs: plan.untilMs, endMs: plan.plannedAtMs };
  const question = { range, pairs: false, total: true, rates: false, filters: ofKey(key.id) };
  const usage = await gateway.usage(question, key.name);
  const { total } = whole(key, usage, range);
  if (total?.gap === "cut") throw notAll(key, range);
  const amounts = total?.empty ? NOTHING_USED : total?.amounts;
  if (amounts?.credits === undefined) throw noCredits(key, range);
  return {
    ...keptAnswer(key.id, range, { ...usage, rows: [{ startMs: range.startMs, labels: [], amounts }] }),
    isAfter: true,
  };
}

const NOTHING_USED: Amounts = { ...NO_AMOUNTS, credits: 0, requests: 0 };

/** As many hours or days at once as the gateway's limit of rows allows. */
async function* requestPairs(
  { range, granularity }: Pick<SeriesQuestion, "range" | "granularity">,
  answered: AnsweredSoFar,
  gateway: PastGateway,
): AsyncGenerator<PastAnswer> {
  const bucketMs = BUCKET_MS[granularity];
  let count = FIRST_COUNT;
  for (let startMs = Math.max(range.startMs, answered.pairsUntilMs() ?? 0); startMs < range.endMs;) {
    const part = { startMs, endMs: Math.min(range.endMs, startMs + count * bucketMs) };
    const question = { range: part, granularity, dimensions: ["model", "app"] };
    const answer = await gateway.usageSeries(question, PAIRS_NAME);
    if (answer.truncated && count > 1) {
      count = Math.floor(count / 2);
      continue;
    }
    yield keptAnswer(PAIRS, part, counted(ALL_PAIRS, { range: part, granularity }, answer));
    startMs = part.endMs;
    count = Math.max(
      1,
      Math.min(MOST_COUNT, Math.floor((COMFORTABLE_ROWS * count) / (answer.rows.length + 1))),
    );
  }
}

/** The first question finds out how many pairs an hour or a day has. */
const FIRST_COUNT = 8;
/** A range of hours may have 31 days. */
const MOST_COUNT = 744;
/** Fewer than the gateway's 1000, because some hours have more than others. */
const COMFORTABLE_ROWS = 600;

/** The answer, if every row with requests has an amount of credits: without one of them, no sum is known. */
function counted(
  subject: Subject,
  { range, granularity }: Pick<SeriesQuestion, "range" | "granularity">,
  answer: UsageSeries,
): UsageSeries {
  const { rows } = whole(subject, answer, range);
  if (subject !== ALL_PAIRS && new Set(rows.map(({ startMs }) => startMs)).size < rows.length)
    throw new PastError(subject, `the gateway sends several rows for one ${granularity} ${between(range)}`);
  const unknown = rows.find(({ amounts }) => amounts.credits === undefined && amounts.requests !== 0);
  if (!unknown) return answer;
  throw noCredits(subject, { startMs: unknown.startMs, endMs: unknown.startMs + BUCKET_MS[granularity] });
}

/**
 * The answer, if nothing is missing. A warning may mean that a filter was dropped, so that other keys are
 * part of the answer.
 */
function whole<Answer extends UsageAnswer>(subject: Subject, answer: Answer, range: Window): Answer {
  const from = between(range);
  if (answer.truncated) throw notAll(subject, range);
  const { computedAtMs = Infinity } = answer;
  if (computedAtMs < range.endMs - SETTLE_MS)
    throw new PastError(
      subject,
      `the gateway answers ${from} with figures of ${utcText(computedAtMs)}: run it again later`,
    );
  if (answer.unreadableRows > 0)
    throw new PastError(
      subject,
      `${answer.unreadableRows} rows ${from} cannot be read (the first: ${answer.rowProblem})`,
    );
  if (answer.warnings > 0)
    throw new PastError(
      subject,
      subject.isKey
        ? "the gateway cannot filter by it. If it was deleted, remove it from the configuration"
        : `the gateway warns about the usage ${from}`,
    );
  return answer;
}

function notAll(subject: Subject, range: Window): PastError {
  return new PastError(subject, `the gateway does not send all rows ${between(range)}`);
}

function noCredits(subject: Subject, range: Window): PastError {
  return new PastError(subject, `the gateway does not report the credits ${between(range)}`);
}

function between({ startMs, endMs }: Window): string {
  return `between ${new Date(startMs).toISOString()} and ${new Date(endMs).toISOString()}`;
}
