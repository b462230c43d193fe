import type { App } from "../../exporter/app.ts";
import { partOf } from "../../exporter/config/shards/part.ts";
import type { ConfigFileInput } from "../../exporter/config/schema.ts";
import { createGateway, type Gateway } from "../gateway/gateway.ts";
import { createManualClock, type ManualClock } from "./clock.ts";
import { readConfig, writeExporterFiles } from "./exporter-files.ts";
import { silentLog } from "./log.ts";
import { seriesOfText, type SeriesMap } from "./series.ts";
import { createTestApp } from "./test-app.ts";
import { until } from "./until.ts";

/** Exporters in this process that divide the keys of one simulated gateway, on one clock. */
export interface ShardsStage {
  readonly gateway: Gateway;
  readonly clock: ManualClock;
  /** Starts one more exporter. */
  readonly start: (ordinal: number, total: number, replica?: number) => Promise<StagedShard>;
  readonly stop: () => Promise<void>;
}

export interface StagedShard {
  readonly app: App;
  series(): Promise<SeriesMap>;
  page(): Promise<string>;
  /** Reloads the configuration with another total. */
  resize(total: number): Promise<void>;
  stop(): Promise<void>;
}

export async function createShardsStage(
  prepare: (gateway: Gateway) => void,
  content: Partial<ConfigFileInput> = {},
  perMinute = 0,
): Promise<ShardsStage> {
  const clock = createManualClock("2026-11-18T12:00:00Z");
  const gateway = createGateway({ now: () => clock.now(), startAt: clock.now() });
  await gateway.start();
  prepare(gateway);
  const files = writeExporterFiles(gateway);
  files.write({ ...content, gateway: { base_url: gateway.url, requests_per_minute: perMinute } });
  const running = new Set<App>();

  async function start(ordinal: number, total: number, replica = 0): Promise<StagedShard> {
    const configOf = async (present: number) =>
      partOf(await readConfig(files), { ordinal, total: present, replica });
    const app = createTestApp(await configOf(total), { clock, log: silentLog });
    await app.start();
    running.add(app);
    const text = async (path: string) => (await fetch(app.url() + path)).text();
    return {
      app,
      series: async () => seriesOfText(await text("/metrics")),
      page: () => text("/"),
      resize: async (next) => app.apply(await configOf(next)),
      stop: async () => {
        running.delete(app);
        await app.stop();
      },
    };
  }

  return {
    gateway,
    clock,
    start,
    stop: async () => {
      await Promise.all([...running].map((app) => app.stop()));
      files.remove();
      await gateway.stop();
    },
  };
}

/** The series of all shards together, each with its greatest value, as the rules fold them; without those of the processes. */
export async function unionOf(shards: readonly StagedShard[]): Promise<SeriesMap> {
  const union = new Map<string, number>();
  for (const each of await Promise.all(shards.map((shard) => shard.series()))) {
    for (const [name, value] of each) {
      if (/^aigateway_exporter_|^(process|nodejs)_/.test(name)) continue;
      union.set(name, Math.max(value, union.get(name) ?? Number.NEGATIVE_INFINITY));
    }
  }
  return union;
}

/** Waits, without moving the clock, until the series of all shards match. */
export function unionWhen(
  shards: readonly StagedShard[],
  isWanted: (union: SeriesMap) => boolean,
): Promise<SeriesMap> {
  return until("the series of all shards", () => unionOf(shards), isWanted);
}

/** The shard of a name: jump consistent hash of FNV-1a (64 bits) of its UTF-8, as both are published, in exact integers. */
export function publishedShard(name: string, total: number): number {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(name)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return publishedBucket(hash, total);
}

/** Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014. */
export function publishedBucket(key: bigint, buckets: number): number {
  let state = key;
  let [bucket, next] = [-1n, 0n];
  while (next < BigInt(buckets)) {
    bucket = next;
    state = BigInt.asUintN(64, state * 2862933555777941757n + 1n);
    next = BigInt(Math.floor((Number(bucket) + 1) * (2147483648 / Number((state >> 33n) + 1n))));
  }
  return Number(bucket);
}
