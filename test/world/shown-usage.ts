import { formerStart, windowStart, decimal, ofCount, ofMicros } from "./calendar.ts";
import { TOTAL_SINCE } from "./config-text.ts";
import type { Amounts, Question, UsageAnswer } from "./questions.ts";
import type { Sample } from "./exposition.ts";
import type { Scrape, World } from "./world.ts";

/** The windows of the analytics. */
export const QUERIES = ["day", "last_day", "month", "last_month"] as const;
export type QueryName = (typeof QUERIES)[number];

/** The amounts as `/metrics` names them, and as the books do. */
const AMOUNT_FAMILIES = {
  credits: "micros",
  requests: "requests",
  prompt_tokens: "prompt",
  completion_tokens: "completion",
  reasoning_tokens: "reasoning",
  byok_credits: "byok",
} as const satisfies Record<string, keyof Amounts>;
export type AmountFamily = keyof typeof AMOUNT_FAMILIES;

/** The shown amounts of a query: by family, then by pair, in units of `decimal`. */
export function shownUsage({ exposition }: Scrape, query: QueryName): ShownAmounts {
  return new Map(
    AMOUNTS.map((family) => {
      const samples = exposition.samples(`aigateway_usage_${query}_${family}`);
      return [family, amountsBy("model", "app", samples)];
    }),
  );
}

/** The same of a query by key and model. */
export function shownKeyModels({ exposition }: Scrape, query: "day" | "month"): ShownAmounts {
  const families = ["credits", "requests"] as const;
  return new Map(
    families.map((family) => {
      const samples = exposition.samples(`aigateway_query_${family}`);
      const own = samples.filter(({ labels }) => labels["query"] === `keys-${query}`);
      return [family, amountsBy("api_key", "model", own)];
    }),
  );
}

export type ShownAmounts = ReadonlyMap<AmountFamily, ReadonlyMap<string, bigint>>;

function amountsBy(one: string, other: string, samples: readonly Sample[]): ReadonlyMap<string, bigint> {
  return new Map(
    samples.map(({ labels, text }) => [`${labels[one] ?? ""}|${labels[other] ?? ""}`, decimal(text)]),
  );
}

/** An amount of the books in units of `decimal`. */
export function bookAmount(amounts: Amounts, family: AmountFamily): bigint {
  const name = AMOUNT_FAMILIES[family];
  return name === "micros" || name === "byok" ? ofMicros(amounts[name]) : ofCount(amounts[name]);
}

/** The pair of everything that has no series of its own. */
export const OTHER = "_other|_other";

/** A good answer of the analytics. */
export interface Answered {
  readonly question: Question;
  readonly usage: UsageAnswer;
}

/**
 * The good answers to a question of a kind that begins at an instant, to the present management key, by the present
 * exporter.
 */
export function usageAnswers(
  world: World,
  startMs: number,
  at: number,
  kind: keyof typeof KINDS = "pairs",
): readonly Answered[] {
  const { analytics, gateway } = world.settings();
  if (!analytics) return [];
  const tokens = new Set(world.files.tokens(analytics.file).map(({ token }) => token));
  const all = world.questions.at("analytics");
  const answers: Answered[] = [];
  for (let index = all.length - 1; index >= 0; index--) {
    const question = all[index];
    // Older than any time to live.
    if (!question || question.at < Math.max(world.startedAt(), at - OLDEST_MS)) break;
    const { usage, end, endedAt = Infinity, token } = question;
    const isPresent = question.gateway === gateway && tokens.has(token) && end === "good" && endedAt <= at;
    if (isPresent && usage?.startMs === startMs && KINDS[kind](usage)) answers.unshift({ question, usage });
  }
  return answers;
}

/** The sum over everything belongs to queries by any dimensions. */
const KINDS = {
  pairs: (usage: UsageAnswer) => isOfAll(usage) && !usage.isOfKeys,
  keys: (usage: UsageAnswer) => isOfAll(usage) && usage.isOfKeys === usage.isGrouped,
  filtered: ({ excluded }: UsageAnswer) => excluded !== undefined,
  ofOne: ({ only }: UsageAnswer) => only !== undefined,
  any: ({ isGrouped, only }: UsageAnswer) => !isGrouped && only === undefined,
};

function isOfAll({ excluded, only }: UsageAnswer): boolean {
  return excluded === undefined && only === undefined;
}

const OLDEST_MS = 4 * 3_600_000;

/** The start of the time range that a query covers at a true time, epoch milliseconds. */
export function rangeStart(query: QueryName | "week" | "total", atMs: number): number {
  switch (query) {
    case "day":
    case "month":
    case "week":
      return windowStart(query, atMs);
    case "last_day":
      return formerStart("day", atMs);
    case "last_month":
      return formerStart("month", atMs);
    case "total":
      return Date.parse(`${TOTAL_SINCE}T00:00:00Z`);
  }
}

const AMOUNTS = Object.keys(AMOUNT_FAMILIES).filter(isAmount);

function isAmount(name: string): name is AmountFamily {
  return Object.hasOwn(AMOUNT_FAMILIES, name);
}
