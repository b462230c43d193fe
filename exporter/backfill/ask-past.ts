import type { SeriesQuestion, Usage, UsageAnswer, UsageQuestion, UsageSeries } from "../gateway/port.ts";
import { BUCKET_MS, type Window } from "../time/window.ts";
import { ACCOUNT, keptAnswer, ofKey, PAIRS, type PastAnswer, ranges } from "./answers.ts";
import type { BackfillPlan, PlannedKey } from "./plan.ts";

/** The questions of a backfill. Both need the management key. */
export interface PastGateway {
  /** @throws GatewayError */
  usageSeries(question: SeriesQuestion): Promise<UsageSeries>;
  /** @throws GatewayError */
  usage(question: UsageQuestion): Promise<Usage>;
}

/** The gateway's answer cannot be used. */
export class PastError extends Error {}

/**
 * Asks for everything that is not yet answered, and yields each answer once.
 * @param answered what earlier runs were answered: subjects and ends of their ranges.
 * @throws GatewayError; PastError if the gateway cuts rows, sends some that cannot be read, or cannot filter by a key.
 */
export async function* askPast(
  plan: BackfillPlan,
  answered: AnsweredSoFar,
  gateway: PastGateway,
): AsyncGenerator<PastAnswer> {
  for (const subject of [ACCOUNT, ...plan.keys.map(({ hash }) => hash)]) {
    const filters = subject === ACCOUNT ? [] : ofKey(subject);
    for (const part of ranges(plan)) {
      if (answered.has(subject, part.range.endMs)) continue;
      const answer = await gateway.usageSeries({ ...part, dimensions: [], filters });
      yield keptAnswer(subject, part.range, filtered(subject, whole(answer, part.range)));
    }
  }
  if (plan.untilMs < plan.plannedAtMs) {
    for (const key of plan.keys) if (!answered.isAfterKnown(key.hash)) yield await after(plan, key, gateway);
  }
  for (const part of ranges(plan)) yield* askPairs(part, answered, gateway);
}

/** Where an interrupted backfill continues. */
export interface AnsweredSoFar {
  /** How many questions are answered. */
  count(): number;
  /** Whether the subject is answered up to this end of a range. */
  has(subject: string, endMs: number): boolean;
  isAfterKnown(hash: string): boolean;
  /** Up to when the pairs are answered; undefined: not at all. */
  pairsUntilMs(): number | undefined;
}

/** What a key has used since the live series began: its all-time usage then is that of now without this. */
async function after(plan: BackfillPlan, { hash }: PlannedKey, gateway: PastGateway): Promise<PastAnswer> {
  const range = { startMs: plan.untilMs, endMs: plan.plannedAtMs };
  const usage = await gateway.usage({ range, pairs: false, total: true, rates: false, filters: ofKey(hash) });
  const total = filtered(hash, whole(usage, range)).total;
  const credits = total?.empty ? 0 : total?.amounts.credits;
  if (credits === undefined) throw new PastError(`the gateway reports no credits ${between(range)}`);
  return {
    subject: hash,
    range,
    isAfter: true,
    isByokUnknown: usage.creditsSource === "total",
    rows: [{ startMs: range.startMs, labels: [], amounts: [credits, total?.amounts.byokCredits ?? 0] }],
  };
}

/** As many hours or days at once as the gateway's limit of rows allows. */
async function* askPairs(
  { range, granularity }: Pick<SeriesQuestion, "range" | "granularity">,
  answered: AnsweredSoFar,
  gateway: PastGateway,
): AsyncGenerator<PastAnswer> {
  const bucketMs = BUCKET_MS[granularity];
  let count = FIRST_COUNT;
  for (let startMs = Math.max(range.startMs, answered.pairsUntilMs() ?? 0); startMs < range.endMs;) {
    const part = { startMs, endMs: Math.min(range.endMs, startMs + count * bucketMs) };
    const answer = await gateway.usageSeries({ range: part, granularity, dimensions: ["model", "app"] });
    if (answer.truncated && count > 1) {
      count = Math.floor(count / 2);
      continue;
    }
    yield keptAnswer(PAIRS, part, whole(answer, part));
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

function whole<Answer extends UsageAnswer>(answer: Answer, range: Window): Answer {
  const from = between(range);
  if (answer.truncated) throw new PastError(`the gateway does not send all rows ${from}`);
  if (answer.unreadableRows > 0)
    throw new PastError(
      `${answer.unreadableRows} rows ${from} cannot be read (the first: ${answer.rowProblem})`,
    );
  return answer;
}

function between({ startMs, endMs }: Window): string {
  return `between ${new Date(startMs).toISOString()} and ${new Date(endMs).toISOString()}`;
}

/** The answer about a key, unless the gateway warns that it could not resolve the filter: then other keys may be part of it. */
function filtered<Answer extends UsageAnswer>(subject: string, answer: Answer): Answer {
  if (subject !== ACCOUNT && answer.warnings > 0)
    throw new PastError(`the gateway cannot filter by the key ${subject.slice(0, 8)}…`);
  return answer;
}
