import type { SecretSource } from "../config/secret.ts";
import { isSumOf } from "../metrics/decimal-sum.ts";
import { BUCKET_MS } from "../time/window.ts";
import type { Send } from "./calls.ts";
import { GatewayError } from "./errors.ts";
import type { MoneyMetricsChoice } from "./money-metrics.ts";
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
import { type UsageColumns, usageRequest } from "./wire/usage.ts";
import { parseUsageRows, type UsageRows } from "./wire/usage-rows.ts";

/**
 * Requests the account's usage: first the pairs, then their total. When the two disagree although no row is missing,
 * something was spent between the two answers. The pairs are then requested once more, because otherwise the new spend
 * would belong to no pair.
 */
export async function askUsage(
  send: Send,
  name: string,
  question: UsageQuestion,
  secret: SecretSource,
  choice: MoneyMetricsChoice,
): Promise<Usage> {
  const { range, rates, dimensions = ["model", "app"], classifier, filters } = question;
  const action = `query the analytics of "${name}"`;
  const ask = (asked: Omit<UsageColumns, "money">) =>
    withMoney(choice, asked.filters, async (money) => {
      const columns = { ...asked, money };
      const body = await send({ ...usageRequest(range, columns), action, secret });
      return parseUsageRows(body, columns, action);
    });
  const askPairs = () => ask({ dimensions, classifier, rates, filters });
  const askTotal = () => ask({ dimensions: [], rates: false, filters });

  const pairs = question.pairs ? await askPairs() : undefined;
  const total = question.total ? await askTotal() : undefined;
  return pairs && total && disagree(pairs, total) ? usageOf(await askPairs(), total) : usageOf(pairs, total);
}

/**
 * Requests the account's usage by hour or by day.
 * @throws GatewayError `bad_response` if a row is about a time outside the range.
 */
export async function askUsageSeries(
  send: Send,
  name: string,
  { range, ...question }: SeriesQuestion,
  secret: SecretSource,
  choice: MoneyMetricsChoice,
): Promise<UsageSeries> {
  const action = `query the past of "${name}"`;
  const { rows, ...quality } = await withMoney(choice, question.filters, async (money) => {
    const columns = { ...question, money, rates: false };
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
 * Asks with BYOK. A service without that metric refuses the request, and is then asked without. A request
 * with filters proves nothing about the others, because the filters may have been refused, and neither does a
 * refusal that has ended.
 */
async function withMoney(
  choice: MoneyMetricsChoice,
  filters: UsageQuestion["filters"],
  ask: (money: MoneyMetricsChoice["current"]) => Promise<UsageRows>,
): Promise<UsageRows> {
  const { current, isDoubtful } = choice;
  const rows = await rowsOrRefusal(ask(current));
  if (!(rows instanceof GatewayError)) {
    if (current.byok) choice.accepted();
    return rows;
  }
  if (!isDoubtful) throw rows;
  const without = await ask({ ...current, byok: false });
  if ((filters ?? []).length > 0) return without;
  const again = await rowsOrRefusal(ask(current));
  if (again instanceof GatewayError) choice.refused();
  else choice.accepted();
  return again instanceof GatewayError ? without : again;
}

async function rowsOrRefusal(asked: Promise<UsageRows>): Promise<UsageRows | GatewayError> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400) return error;
    throw error;
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
