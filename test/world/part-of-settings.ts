import { publishedShard } from "../support/published-shard.ts";
import type { BudgetSettings, Settings } from "./story.ts";

/** The part of the settings that the process with an index has to do, as docs/shards.md describes it. */
export function partOfSettings(settings: Settings, index: number): Settings {
  const { shards: total, keys, pace, connections, analytics, probes, ...rest } = settings;
  if (total === undefined) return settings;
  const ordinal = index % total;
  const isOwn = (name: string) => shardOf(name, total, probes?.payers ?? []) === ordinal;
  const own = keys.filter(({ name }) => isOwn(name));
  return {
    ...rest,
    shards: total,
    keys: own,
    part: { ordinal, total, elsewhere: keys.filter(({ name }) => !isOwn(name)) },
    pace: shareOf(pace, ordinal, total),
    connections: shareOf(connections, ordinal, total),
    analytics: ordinal === 0 ? analytics : undefined,
    probes: index === 0 ? probes : undefined,
    budgets: settings.budgets.flatMap((budget) => {
      if (!("keys" in budget)) return ordinal === 0 ? [budget] : [];
      const all = budget.keys === "all" ? keys.map(({ name }) => name) : budget.keys;
      return budgetPart(budget, all, all.filter(isOwn));
    }),
  };
}

/** A key that pays for a probe belongs to the shard that probes. */
function shardOf(name: string, total: number, payers: readonly string[]): number {
  return payers.includes(name) ? 0 : publishedShard(name, total);
}

function shareOf(amount: number, ordinal: number, total: number): number {
  return Math.floor((amount + total - 1 - ordinal) / total);
}

function budgetPart(
  budget: BudgetSettings & { readonly keys: unknown },
  all: readonly string[],
  own: readonly string[],
): readonly BudgetSettings[] {
  if (own.length === 0) return [];
  return own.length === all.length ? [budget] : [{ ...budget, keys: own, isPart: true }];
}
