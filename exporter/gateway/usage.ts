import type { SecretSource } from "../config/secret.ts";
import { isSumOf } from "../metrics/decimal-sum.ts";
import type { Send } from "./calls.ts";
import { AMOUNTS, type Amounts, NO_AMOUNTS, type Total, type Usage, type UsageQuestion } from "./port.ts";
import { pairsRequest, parsePairs, parseTotal, totalRequest, type UsageRows } from "./wire/usage.ts";

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
    ...answer,
    pairs: pairs?.rows ?? [],
    total: total && totalOf(total),
    rows: answer.rows.length + answer.unreadableRows,
    computedAtMs: earlier(pairs?.computedAtMs, total?.computedAtMs),
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

/** Without rows nothing was used, unless the only row was cut off. A sum over everything has one row. */
function totalOf({ rows, truncated, warnings }: UsageRows<Amounts>): Total | undefined {
  const [amounts] = rows;
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

function disagree(pairs: Pairs, { rows: [total] }: UsageRows<Amounts>): boolean {
  if (!total || pairs.truncated || pairs.unreadableRows > 0) return false;
  return AMOUNTS.some((amount) => {
    const sum = total[amount];
    const parts = pairs.rows.map(({ amounts }) => amounts[amount] ?? 0);
    return sum !== undefined && !isSumOf(sum, parts);
  });
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
