import { createGateway, type Gateway } from "../gateway/gateway.ts";
import type { Switches } from "../gateway/switches.ts";
import { startSteeredProcess } from "../support/app-process.ts";
import { type ExporterFiles, writeExporterFiles } from "../support/exporter-files.ts";
import { startPrometheus } from "../support/prometheus.ts";
import { seriesOfQuery, type SeriesMap } from "../support/series.ts";
import { hostileSpends } from "./hostile-spends.ts";
import { expectedKeySeries } from "./key-series.ts";
import { QUERIES } from "./analytics-series.ts";

/** Gateway, exporter and Prometheus. The first two share a clock, which the test moves. */
export interface BooksStage {
  readonly gateway: Gateway;
  readonly timeZone: string;
  /** Both clocks leap to the time. Then the gateway's clock stops, so that its books do not change. */
  leap(epochMs: number): Promise<void>;
  /** Lets the exporter's time pass. */
  runTo(epochMs: number): Promise<void>;
  runFor(ms: number): Promise<void>;
  /** Moves the gateway's clock, including all spending up to the new time. */
  setGateway(epochMs: number): void;
  /** The samples that Prometheus stored from a scrape that began after the call. */
  scraped(): Promise<SeriesMap>;
  /** The same, after each usable key and each query was polled with the new time of the gateway's clock. */
  scrapedAfterPolls(): Promise<SeriesMap>;
  /** The same, after a series has reached the value. */
  scrapedWith(name: string, value: number): Promise<SeriesMap>;
  /** Sums over all models and apps, by family, as Prometheus adds them up. */
  sums(): Promise<SeriesMap>;
  /** The books of the keys at these times. The gateway's clock ends at the last one. */
  keySeriesAt(times: readonly number[]): readonly SeriesMap[];
  stop(): Promise<void>;
}

export interface BooksStageOptions {
  readonly binary: string;
  readonly timeZone: string;
  readonly switches: Partial<Switches>;
  readonly start: number;
}

/** Pairs of model and app that are shown by name; the gateway has more. */
export const TOP = 40;

const JOB = "aigateway-exporter";
const OURS = `{job="${JOB}", __name__=~"up|aigateway_(key|usage|analytics)_.*"}`;
const SUMS = `sum by (__name__) ({__name__=~"aigateway_usage_.*"})`;

export async function startBooksStage({
  binary,
  timeZone,
  switches,
  start,
}: BooksStageOptions): Promise<BooksStage> {
  const gateway = createGateway({ ...WORLD, now: () => 0, startAt: start, switches });
  await gateway.start();
  const files = filesFor(gateway);
  const environment = { ...files.environment, TZ: timeZone };
  const exporter = await startSteeredProcess({ configFile: files.configFile, environment }, start);
  const prometheus = await startPrometheus({ binary, targets: { [JOB]: [exporter.address] } });
  let now = start;

  async function runTo(epochMs: number): Promise<void> {
    now = epochMs;
    await exporter.runTo(epochMs);
  }

  function setGateway(epochMs: number): void {
    gateway.clock.set(epochMs);
    for (const spend of hostileSpends(gateway)) gateway.spend(spend);
  }

  async function scraped(): Promise<SeriesMap> {
    const since = Date.now();
    for (;;) {
      await prometheus.waitForScrapeAfter(since, JOB);
      const series = seriesOfQuery(await prometheus.query(OURS));
      // A busy machine may miss a scrape; the timeout of the test is the bound.
      if (series.get("up{}") === 1) return series;
    }
  }

  /** A new answer is published a moment later, because it is compressed in real time: the clock continues until then. */
  async function scrapedOnce(what: string, isThere: (series: SeriesMap) => boolean): Promise<SeriesMap> {
    for (let seconds = MOST_SECONDS; seconds > 0; seconds--) {
      const series = await scraped();
      if (isThere(series)) return series;
      await runTo(now + 1000);
    }
    throw new Error(`Cannot wait longer than ${MOST_SECONDS} s of the clock for ${what}`);
  }

  return {
    gateway,
    timeZone: exporter.timeZone,
    leap: async (epochMs) => {
      setGateway(epochMs);
      now = epochMs;
      await exporter.jump(epochMs);
    },
    runTo,
    runFor: (ms) => runTo(now + ms),
    setGateway,
    scraped,
    scrapedAfterPolls: () => {
      const since = gateway.clock.now() / 1000;
      const wanted = lastSuccesses(gateway);
      return scrapedOnce("polls of all targets", (series) =>
        wanted.every((name) => (series.get(name) ?? 0) >= since),
      );
    },
    scrapedWith: (name, value) => scrapedOnce(`${name} ${value}`, (series) => series.get(name) === value),
    sums: async () => seriesOfQuery(await prometheus.query(SUMS)),
    keySeriesAt: (times) =>
      times.map((time) => {
        gateway.clock.set(time);
        return expectedKeySeries(gateway, gateway.tokens.keys());
      }),
    stop: async () => {
      await prometheus.stop();
      await exporter.stop();
      await gateway.stop();
      files.remove();
    },
  };
}

/** Fewer seconds than remain until midnight at 23:59:40. */
const MOST_SECONDS = 15;

const WORLD = { keys: 56, models: 30, historyDays: 35, slotMs: 300_000 } as const;

function filesFor(gateway: Gateway): ExporterFiles {
  return writeExporterFiles({
    gatewayUrl: gateway.url,
    tokens: gateway.tokens,
    managementToken: gateway.managementToken,
    content: {
      schedule: { keys: "60s", analytics: "60s" },
      analytics: { management_key_env: "MANAGEMENT_KEY", top: TOP },
    },
  });
}

/** The series with the time of the last success, for each target that can succeed. */
function lastSuccesses(gateway: Gateway): readonly string[] {
  const usable = [...gateway.tokens.keys()].filter((name) => {
    const { disabled, expiresAt } = gateway.world.key(name);
    return !disabled && expiresAt === null;
  });
  return [
    ...usable.map((key) => `aigateway_key_last_success_timestamp_seconds{key="${key}"}`),
    ...QUERIES.map((query) => `aigateway_analytics_last_success_timestamp_seconds{query="${query}"}`),
  ];
}
