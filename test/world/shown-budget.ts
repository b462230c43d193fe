import { decimal } from "./decimal.ts";
import type { Exposition, Sample } from "./exposition.ts";
import type { BudgetSettings } from "./story.ts";

/** What is shown of a budget, credits in units of `decimal`. Undefined: there is no amount. */
export interface ShownBudget {
  readonly spent: bigint | undefined;
  readonly isComplete: boolean;
}

/**
 * The budget as the rules read it: they add the parts of each total, and while totals are mixed, the largest sum counts.
 * A budget that is a part is the part of one process.
 */
export function shownBudget(
  exposition: Exposition,
  { name, isPart }: Pick<BudgetSettings, "name" | "isPart">,
): ShownBudget {
  const samplesOf = (family: string) =>
    exposition.samples(`aigateway_budget_${family}`).filter(({ labels }) => labels["budget"] === name);
  const [wholes, completes] = [samplesOf("spent_credits"), samplesOf("complete")];
  const [parts, partCompletes] = [samplesOf("part_spent_credits"), samplesOf("part_complete")];
  const counts = new Map(samplesOf("parts").map(({ labels, value }) => [labels["shards"], value]));
  const sums = [...byTotal(parts).values()].map(sumOf);
  const isWhole = ([total, those]: readonly [string | undefined, readonly Sample[]]) =>
    isPart || those.length === counts.get(total);
  return {
    spent: greatest([...wholes.map(({ text }) => decimal(text)), ...sums]),
    isComplete:
      completes.some(isOne) || [...byTotal(partCompletes)].some((one) => isWhole(one) && one[1].every(isOne)),
  };
}

function isOne({ value }: Sample): boolean {
  return value === 1;
}

function sumOf(parts: readonly Sample[]): bigint {
  return parts.reduce((sum, { text }) => sum + decimal(text), 0n);
}

function greatest(amounts: readonly bigint[]): bigint | undefined {
  return amounts.toSorted((one, other) => (one < other ? -1 : 1)).at(-1);
}

function byTotal(samples: readonly Sample[]): ReadonlyMap<string | undefined, readonly Sample[]> {
  return Map.groupBy(samples, ({ labels }) => labels["shards"]);
}
