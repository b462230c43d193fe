import type { SecretSource } from "../secrets/secret.ts";
import { isSumOf } from "../metrics/decimal-sum.ts";
import { BUCKET_MS } from "../time/window.ts";
import type { Send } from "./calls.ts";
import { GatewayError } from "./errors.ts";
import {
  AMOUNTS,
  type Amounts,
  type CreditsSource,
  NO_AMOUNTS,
  type SeriesQuestion,
  type Total,
  type Usage,
  type UsageAnswer,
  type UsageQuestion,
  type UsageSeries,
} from "./port.ts";
import {
  type UsageColumns,
  usageRequest,
  AMOUNT_METRICS,
  CREDITS_METRIC,
  type CreditMetric,
} from "./wire/usage.ts";
import { parseUsageRows, type UsageRows } from "./wire/usage-rows.ts";
import type { Capabilities } from "./account.ts";

/**
 * Requests the account's usage: first the pairs, then their total. When the two disagree although no row is missing,
 * something was spent between the two answers. The pairs are then requested once more, because otherwise the new spend
 * would belong to no pair.
 */
export async function fetchUsage(
  send: Send,
  name: string,
  question: UsageQuestion,
  secret: SecretSource,
  choice: CreditMetricChoice,
): Promise<Usage> {
  const { range, rates, dimensions = ["model", "app"], classifier, filters } = question;
  const action = `query the analytics of "${name}"`;
  const fetchRows = (wanted: Omit<UsageColumns, "creditMetric">) =>
    withCreditMetric(choice, wanted.filters, async (creditMetric) => {
      const columns = { ...wanted, creditMetric };
      const body = await send({ ...usageRequest(range, columns), action, secret });
      return parseUsageRows(body, columns, action);
    });
  const fetchPairs = () => fetchRows({ dimensions, classifier, rates, filters });
  const fetchTotal = () => fetchRows({ dimensions: [], rates: false, filters });

  const pairs = question.pairs ? await fetchPairs() : undefined;
  const total = question.total ? await fetchTotal() : undefined;
  return pairs && total && disagree(pairs, total)
    ? usageOf(await fetchPairs(), total)
    : usageOf(pairs, total);
}

/**
 * Requests the account's usage by hour or by day.
 * @throws GatewayError `bad_response` if a row is about a time outside the range.
 */
export async function fetchUsageSeries(
  send: Send,
  name: string,
  { range, ...question }: SeriesQuestion,
  secret: SecretSource,
  choice: CreditMetricChoice,
): Promise<UsageSeries> {
  const action = `query the past of "${name}"`;
  const { rows, ...quality } = await withCreditMetric(choice, question.filters, async (creditMetric) => {
    const columns = { ...question, creditMetric, rates: false };
    return parseUsageRows(await send({ ...usageRequest(range, columns), action, secret }), columns, action);
  });
  const bucketMs = BUCKET_MS[question.granularity];
  const timed = rows.map(({ startMs = Number.NaN, labels, amounts }) => {
    const isWithin = startMs > range.startMs - bucketMs && startMs < range.endMs && startMs % bucketMs === 0;
    if (!isWithin)
      throw new GatewayError(
        "bad_response",
        `Cannot ${action}: a row is about a time that was not requested`,
      );
    return { startMs, labels, amounts };
  });
  return { ...quality, rows: timed };
}

/**
 * Asks with BYOK. A service without that metric refuses the request, and is then asked without until it lists its
 * metrics. The refusal of a request with filters may be due to these.
 */
async function withCreditMetric(
  choice: CreditMetricChoice,
  filters: UsageQuestion["filters"],
  fetchRows: (creditMetric: CreditMetricChoice["current"]) => Promise<UsageRows>,
): Promise<UsageRows> {
  const { current } = choice;
  try {
    const rows = await fetchRows(current);
    if (current.byok) choice.accepted();
    return rows;
  } catch (error) {
    if (!choice.isDoubtful || !(error instanceof GatewayError) || error.status !== 400) throw error;
    const without = await fetchRows({ ...current, byok: false });
    if ((filters ?? []).length === 0) choice.refused();
    return without;
  }
}

function usageOf(pairs: UsageRows | undefined, total: UsageRows | undefined): Usage {
  const answer = pairs ?? total ?? NOTHING;
  const { rows, ...quality } = answer;
  return {
    ...quality,
    pairs: (pairs?.rows ?? []).map(({ labels: [model = null, app = null], amounts, rates }) => ({
      model,
      app,
      amounts,
      rates,
    })),
    total: total && totalOf(total),
    creditsSource: sourceOf(pairs ?? answer, total ?? answer),
    rows: rows.length + answer.unreadableRows,
    computedAtMs: earlier(pairs?.computedAtMs, total?.computedAtMs),
  };
}

/** One answer may contain BYOK if one of its parts may. */
function sourceOf(...parts: readonly UsageRows[]): CreditsSource {
  const sources = parts.map(({ creditsSource }) => creditsSource);
  return CERTAINTY.find((source) => sources.includes(source)) ?? "total";
}

const CERTAINTY = ["total", "total_less_byok", "credits"] as const satisfies readonly CreditsSource[];

/** What an answer shows about itself if it is whole and shows no times. */
export const WHOLE_ANSWER = {
  unreadableRows: 0,
  rowProblem: undefined,
  truncated: false,
  warnings: 0,
  computedAtMs: undefined,
  queryTimeMs: undefined,
} as const satisfies Omit<UsageAnswer, "creditsSource">;

const NOTHING: UsageRows = { ...WHOLE_ANSWER, rows: [], creditsSource: "total" };

/** Without rows nothing was used, unless the only row was cut off. A sum over everything has one row. */
function totalOf({ rows, truncated, warnings }: UsageRows): Total | undefined {
  const amounts = rows[0]?.amounts;
  if (!amounts) return truncated ? undefined : { amounts: NO_AMOUNTS, empty: true, gap: warned(warnings) };
  const gap = truncated || rows.length > 1 ? "cut" : warned(warnings);
  return { amounts, empty: gap !== "cut" && isNothing(amounts), gap };
}

function warned(warnings: number): "warned" | undefined {
  return warnings > 0 ? "warned" : undefined;
}

/** Services send null for the sum of no requests (observed-behaviour 1). */
function isNothing(amounts: Amounts): boolean {
  return amounts.requests === 0 && AMOUNTS.every((amount) => (amounts[amount] ?? 0) === 0);
}

function disagree(pairs: UsageRows, { rows: [total] }: UsageRows): boolean {
  if (!total || pairs.truncated || pairs.unreadableRows > 0) return false;
  return AMOUNTS.some((amount) => {
    const sum = total.amounts[amount];
    const parts = pairs.rows.map(({ amounts }) => amounts[amount] ?? 0);
    return sum !== undefined && !isSumOf(sum, parts);
  });
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

export type CreditMetricChoice = ReturnType<typeof createCreditMetricChoice>;

/** Decides by which metric credits are requested, from what the service has shown so far. */
export function createCreditMetricChoice() {
  let current = BOTH;
  let isDoubtful = true;
  return {
    get current() {
      return current;
    },
    /** Whether a refusal may be due to BYOK. */
    get isDoubtful() {
      return isDoubtful && current.byok;
    },
    /** The names that the service knows; undefined: it does not list them. Refusals before that no longer count. */
    setCapabilities: (capabilities: Capabilities | undefined) => {
      isDoubtful = !capabilities;
      current = capabilities ? named(new Set(capabilities.metrics)) : BOTH;
    },
    /** A request with BYOK was answered. */
    accepted: () => {
      isDoubtful = false;
    },
    /** A request with BYOK was refused, and the same one without it was not. */
    refused: () => {
      current = { ...current, byok: false };
    },
  };
}

/** The total less BYOK is what was charged to credits, so nothing need be known before the first request. */
const BOTH: CreditMetric = { credits: AMOUNT_METRICS.credits, byok: true };

function named(metrics: ReadonlySet<string>): CreditMetric {
  return {
    credits: metrics.has(CREDITS_METRIC) ? CREDITS_METRIC : AMOUNT_METRICS.credits,
    byok: metrics.has(AMOUNT_METRICS.byokCredits),
  };
}
