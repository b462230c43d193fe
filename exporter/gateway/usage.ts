import type { SecretSource } from "../config/secret.ts";
import type { Send } from "./calls.ts";
import {
  type Amount,
  AMOUNT_TOLERANCE,
  AMOUNTS,
  type Amounts,
  NO_AMOUNTS,
  type Total,
  type Usage,
  type UsageQuestion,
} from "./port.ts";
import { pairsRequest, parsePairs, parseTotal, totalRequest, type UsageRows } from "./wire/usage.ts";

/**
 * Asks for the account's usage: first the pairs, then their total. When the two disagree although no row is missing,
 * something was spent between the two answers. The pairs are then asked for once more, because otherwise the new spend
 * would belong to no pair.
 */
export async function askUsage(
  send: Send,
  name: string,
  question: UsageQuestion,
  secret: SecretSource,
): Promise<Usage> {
  const { range, rates } = question;
  const action = `query the analytics of "${name}"`;
  const askPairs = async () =>
    parsePairs(await send({ ...pairsRequest(range, rates), action, secret }), rates, action);
  const askTotal = async () => parseTotal(await send({ ...totalRequest(range), action, secret }), action);

  const pairs = question.pairs ? await askPairs() : undefined;
  const total = question.total ? await askTotal() : undefined;
  return pairs && total && disagree(pairs, total) ? usageOf(await askPairs(), total) : usageOf(pairs, total);
}

type Pairs = ReturnType<typeof parsePairs>;

function usageOf(pairs: Pairs | undefined, total: UsageRows<Amounts> | undefined): Usage {
  const answer = pairs ?? total ?? NOTHING;
  return {
    pairs: pairs?.rows ?? [],
    total: total && totalOf(total),
    rows: answer.rows.length + answer.unreadableRows,
    unreadableRows: answer.unreadableRows,
    rowProblem: answer.rowProblem,
    truncated: answer.truncated,
    warnings: answer.warnings,
    computedAtMs: earlier(pairs?.computedAtMs, total?.computedAtMs),
    queryTimeMs: answer.queryTimeMs,
  };
}

const NOTHING: UsageRows<never> = {
  rows: [],
  unreadableRows: 0,
  rowProblem: undefined,
  truncated: false,
  warnings: 0,
  computedAtMs: undefined,
  queryTimeMs: undefined,
};

/** Without rows nothing was used, unless the only row was cut off. */
function totalOf({ rows: [amounts], truncated }: UsageRows<Amounts>): Total | undefined {
  if (amounts) return { amounts, empty: false };
  return truncated ? undefined : { amounts: NO_AMOUNTS, empty: true };
}

function disagree(pairs: Pairs, { rows: [total] }: UsageRows<Amounts>): boolean {
  if (!total || pairs.truncated || pairs.unreadableRows > 0) return false;
  return AMOUNTS.some((amount) => differs(total[amount], pairs, amount));
}

function differs(total: number | undefined, { rows }: Pairs, amount: Amount): boolean {
  if (total === undefined) return false;
  const values = rows.map(({ amounts }) => amounts[amount] ?? 0);
  const sum = values.reduce((added, value) => added + value, 0);
  // Amounts that cancel each other leave an error of their own size, not of the total's.
  const size = values.reduce((added, value) => added + Math.abs(value), 0);
  return Math.abs(total - sum) > AMOUNT_TOLERANCE * Math.max(Math.abs(total), size);
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
