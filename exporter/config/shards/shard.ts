import type { Problem } from "../problem.ts";
import { quote } from "../../secrets/quote.ts";
import type { Report } from "../rules.ts";
import type { Environment } from "../../secrets/secret-source.ts";

/** Which of the processes that share the keys this one is. */
export interface Shard {
  /** From 0. */
  readonly ordinal: number;
  readonly total: number;
  /** How many other processes come before this one in the same shard; they poll the same keys. */
  readonly replica: number;
}

/** What the command line sets; absent: nothing. */
export interface ShardFlags {
  readonly shard?: number | undefined;
  readonly totalShards?: number | undefined;
}

/** More processes than anybody needs. */
export const MOST_SHARDS = 1024;

/** Set from the pod's label `apps.kubernetes.io/pod-index` and the pod's name. */
export const POD_INDEX = "AIGATEWAY_EXPORTER_POD_INDEX";
export const POD_NAME = "AIGATEWAY_EXPORTER_POD_NAME";

/**
 * The shard of this process. `written`: the total of the configuration. Pod 5 of 3 shards is a second process
 * of shard 2, so the pods of one StatefulSet can be several times as many as the shards.
 */
export function thisShard(
  written: number,
  { shard, totalShards }: ShardFlags,
  environment: Environment,
): Shard | Problem {
  const total = totalShards ?? written;
  if (totalShards !== undefined && written > 1 && written !== totalShards)
    return problem(`is ${written}, but --total-shards is ${totalShards}; set one of them only`);
  if (shard !== undefined && shard >= total)
    return problem(`is ${total}, so --shard must be from 0 to ${total - 1}, not ${shard}`);
  if (shard !== undefined) return { ordinal: shard, total, replica: 0 };
  const index = podIndex(environment);
  if (typeof index === "object") return index;
  if (index !== undefined) return { ordinal: index % total, total, replica: Math.floor(index / total) };
  if (total === 1) return { ordinal: 0, total, replica: 0 };
  return problem(
    `is ${total}, but it is unknown which shard this process is; set --shard, or ${POD_INDEX} in Kubernetes`,
  );
}

/** What the shards divide among them; undefined: unknown. 0 requests per minute are unlimited. */
export interface SharedLimits {
  readonly requestsPerMinute: number | undefined;
  readonly connections: number | undefined;
  readonly seriesLimit: number | undefined;
}

/** Finds limits that cannot be divided, because each shard needs at least 1. */
export function checkShares(
  total: number,
  { requestsPerMinute = 0, connections = total, seriesLimit = total }: SharedLimits,
  report: Report,
): void {
  const check = (amount: number, ...path: string[]) => {
    if (amount < total)
      report(path, `${amount} cannot be divided among ${total} shards; it must be at least ${total}`);
  };
  check(requestsPerMinute === 0 ? total : requestsPerMinute, "gateway", "requests_per_minute");
  check(connections, "gateway", "connections");
  check(seriesLimit, "series_limit");
}

function podIndex({ [POD_INDEX]: index = "", [POD_NAME]: name = "" }: Environment) {
  const text = index === "" ? (/-(\d+)$/.exec(name)?.[1] ?? "") : index;
  if (text === "") return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  return problem(`needs the index of the pod, but ${POD_INDEX} or ${POD_NAME} has ${quote(text)}`);
}

function problem(message: string): Problem {
  return { path: "shards", message };
}

/**
 * The shard of a name, from 0, among `total` shards: the same in every process. When the total grows by one, names move
 * to the new shard only.
 */
export function shardOfName(name: string, total: number): number {
  return jumpHash(fnv1a(name), total);
}

/**
 * Jump consistent hash (Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014).
 * `buckets` is from 1 to 2^31 - 1.
 */
export function jumpHash(key: bigint, buckets: number): number {
  let state = key;
  let [bucket, next] = [-1, 0];
  while (next < buckets) {
    bucket = next;
    state = BigInt.asUintN(64, state * 2862933555777941757n + 1n);
    next = Math.floor((bucket + 1) * (2 ** 31 / (Number(state >> 33n) + 1)));
  }
  return bucket;
}

/** FNV-1a with 64 bits over the bytes of UTF-8, the hash that kube-state-metrics uses as well. */
export function fnv1a(text: string): bigint {
  return new TextEncoder()
    .encode(text)
    .reduce((hash, byte) => BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n), 0xcbf29ce484222325n);
}
