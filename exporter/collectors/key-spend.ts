import type { QueryConfig } from "../config/config.ts";
import type { Usage } from "../gateway/port.ts";
import { decimalSum } from "../metrics/decimal-sum.ts";
import { asksKeySpend, type KeySpends } from "../readings/key-spend.ts";
import { hasAllRows, knownOf, OTHER, type Pair, pairsOf } from "./breakdown.ts";

/**
 * What each key spends by model; undefined: the query does not ask for that. `shown`: the pairs as `/metrics`
 * has them.
 */
export function keySpends(query: QueryConfig, usage: Usage, shown: readonly Pair[]): KeySpends | undefined {
  if (!asksKeySpend(query)) return undefined;
  const isKeyFirst = query.dimensions[0] === "api_key_id";
  const keyOf = ({ model, app }: Pair) => (isKeyFirst ? model : app);
  const modelOf = ({ model, app }: Pair) => (isKeyFirst ? app : model);
  const named = Map.groupBy(shown, keyOf);
  const keys = [...Map.groupBy(pairsOf(usage.pairs), keyOf)].map(([key, rows]) => {
    const known = knownOf(rows, "credits");
    const models = (named.get(key) ?? [])
      .filter((pair) => keyOf(pair) !== OTHER || modelOf(pair) !== OTHER)
      .map((pair) => ({ model: modelOf(pair), credits: pair.amounts.credits }));
    const credits = known.length === 0 ? undefined : decimalSum(known);
    return [key, { models, credits, isComplete: known.length === rows.length }] as const;
  });
  return { keys: new Map(keys), hasAllRows: hasAllRows(usage) && usage.warnings === 0 };
}
