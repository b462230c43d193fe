import { MOST_SHARDS, type ShardFlags } from "../../config/shards/shard.ts";
import { UsageError } from "./usage-error.ts";

/** The flags of a shard outside Kubernetes, named as kube-state-metrics names them. */
export const SHARD_FLAGS = { shard: { type: "string" }, "total-shards": { type: "string" } } as const;

interface Values {
  readonly shard?: string | undefined;
  readonly "total-shards"?: string | undefined;
}

/** @throws UsageError */
export function shardFlags(values: Values): ShardFlags {
  const shard = integer("shard", values.shard, 0, MOST_SHARDS - 1);
  const totalShards = integer("total-shards", values["total-shards"], 1, MOST_SHARDS);
  if (shard === undefined || totalShards === undefined || shard < totalShards) return { shard, totalShards };
  throw new UsageError(
    `Unknown shard ${shard} (--shard): expected an integer from 0 to ${totalShards - 1}, because --total-shards is ${totalShards}`,
  );
}

function integer(flag: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new UsageError(`Unknown value "${text}" of --${flag}: expected an integer from ${least} to ${most}`);
}
