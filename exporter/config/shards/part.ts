import type { BudgetConfig, Config } from "../config.ts";
import { pathText, type Problem } from "../problem.ts";
import type { Environment } from "../../secrets/secret-source.ts";
import { checkShares, type Shard, type ShardFlags, shardOfName, thisShard } from "./shard.ts";

export type OwnPart =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The part of the configuration that this process runs. */
export function ownPart(whole: Config, flags: ShardFlags, environment: Environment): OwnPart {
  const shard = thisShard(whole.shards ?? 1, flags, environment);
  if ("message" in shard) return { ok: false, problems: [shard] };
  const problems: Problem[] = [];
  checkShares(shard.total, { ...whole.gateway, seriesLimit: whole.seriesLimit }, (path, message) =>
    problems.push({ path: pathText(path), message }),
  );
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: partOf(whole, shard) };
}

/** The parts of all shards of a configuration; the configuration itself if it is not divided, or is a part already. */
export function partsOf(config: Config): readonly Config[] {
  const { shards: total = 1, part } = config;
  if (total === 1 || part) return [config];
  const shards = shardsOf(config, total);
  return Array.from({ length: total }, (_, ordinal) =>
    partOf(config, { ordinal, total, replica: 0 }, shards),
  );
}

/**
 * The part of a configuration that one shard runs. Its keys are those whose names hash to it. Everything
 * about the account belongs to shard 0, and so do probes and the keys that pay for them. Paid probes run in
 * one replica only.
 */
export function partOf(whole: Config, shard: Shard, shards = shardsOf(whole, shard.total)): Config {
  const { ordinal, total, replica } = shard;
  const config = replica === 0 ? whole : { ...whole, probing: undefined };
  if (total === 1) return config;
  const isOwn = ({ name }: { readonly name: string }) => shards.get(name) === ordinal;
  const { gateway } = config;
  const share = (amount: number) => Math.floor(amount / total) + Number(ordinal < amount % total);
  return {
    ...config,
    gateway: {
      ...gateway,
      requestsPerMinute: share(gateway.requestsPerMinute),
      connections: share(gateway.connections),
    },
    seriesLimit: share(config.seriesLimit),
    keys: config.keys.filter(isOwn),
    budgets: config.budgets.flatMap((budget) => budgetPart(budget, shards, shard)),
    part: { ordinal, total, elsewhere: config.keys.filter((key) => !isOwn(key)) },
    ...(ordinal > 0 && { analytics: undefined, discovery: undefined, probing: undefined }),
  };
}

/** The shard of each key. */
function shardsOf({ keys, probing }: Config, total: number): ReadonlyMap<string, number> {
  const payers = new Set(probing?.probes.map(({ key }) => key));
  return new Map(
    keys.map(({ name }) => [name, total === 1 || payers.has(name) ? 0 : shardOfName(name, total)] as const),
  );
}

/** None if this shard has nothing of the budget; the whole budget if it has everything. */
function budgetPart(
  budget: BudgetConfig,
  shards: ReadonlyMap<string, number>,
  { ordinal, total }: Shard,
): readonly BudgetConfig[] {
  const { scope } = budget;
  if (scope.kind !== "keys") return ordinal === 0 ? [budget] : [];
  const names = scope.names.filter((name) => shards.get(name) === ordinal);
  if (names.length === 0) return [];
  if (names.length === scope.names.length) return [budget];
  const parts = new Set(scope.names.map((name) => shards.get(name))).size;
  return [
    { ...budget, scope: { ...scope, names }, part: { ordinal, total, parts, keys: scope.names.length } },
  ];
}
