import { setTimeout as sleep } from "node:timers/promises";
import type { Readings } from "../benchmark.ts";
import { type ProbedExporter, startProbedExporter } from "../process/probed-exporter.ts";
import { until } from "../../test/support/until.ts";
import { z } from "zod";
import { timedGet } from "../timed-get.ts";
import { startChild } from "../child.ts";

const KEYS = 10_000;
const LATENCY_MS = 50;
const SCRAPE_EVERY_MS = 500;
const SCRAPES = 12;

/** The whole exporter, polling without a pause while it is scraped. */
export async function startPolledExporter(connections: number) {
  const upstream = await startUpstream(LATENCY_MS);
  const exporter = await startProbedExporter(KEYS, {
    gateway: { base_url: upstream.url, requests_per_minute: 0, connections },
    // A tenth shorter than polling all keys takes, so that a key is always waiting.
    schedule: { keys: `${Math.floor((KEYS / connections) * LATENCY_MS * 0.9)}ms` },
  });
  await until(
    "the first round",
    () => polls(exporter),
    (count) => count >= KEYS,
    { pauseMs: SCRAPE_EVERY_MS },
  );
  return {
    round: () => measure(exporter, connections),
    close: async () => {
      await exporter.close();
      await upstream.close();
    },
  };
}

/** Measures for some seconds: `stall` in ms, `keys` per second, and `share` of the ideal rate (connections ÷ latency) in %. */
async function measure(exporter: ProbedExporter, connections: number): Promise<Readings> {
  await exporter.probe();
  const before = { polls: await polls(exporter), at: performance.now() };
  for (let scrape = 0; scrape < SCRAPES; scrape++) {
    await sleep(SCRAPE_EVERY_MS);
    await timedGet(`${exporter.url}/metrics`, { headers: { "accept-encoding": "gzip" } });
  }
  const after = { polls: await polls(exporter), at: performance.now() };
  const { stallMs, rss } = await exporter.probe();
  const keys = ((after.polls - before.polls) / (after.at - before.at)) * 1000;
  const ideal = (connections / LATENCY_MS) * 1000;
  return { stall: stallMs, keys, share: (keys / ideal) * 100, rss: rss / 1e6 };
}

const TRIES = 50;

/**
 * Reads the number of polls from the exporter's own metrics, because on a busy machine the keys' values may
 * expire too soon.
 */
async function polls({ url }: ProbedExporter): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const response = await fetch(`${url}/metrics`).catch(() => undefined);
    const text = (await response?.text().catch(() => "")) ?? "";
    // The exporter's own metrics are at the end.
    const found = /^aigateway_exporter_polls_total\{collector="key"\} (\d+)$/m.exec(text.slice(-50_000));
    if (found) return Number(found[1]);
    await sleep(SCRAPE_EVERY_MS / 5);
  }
  throw new Error(`Cannot find the number of polls in ${url}/metrics`);
}

/** The polled gateway, in its own process. */
export interface Upstream {
  /** The API root. */
  readonly url: string;
  close(): Promise<void>;
}

const Ready = z.object({ url: z.string() });

/** Starts a gateway that answers after `latencyMs`; an analytics answer has `rows` rows. */
export async function startUpstream(latencyMs: number, rows = 0): Promise<Upstream> {
  const child = await startChild(new URL("upstream-program.ts", import.meta.url), {
    parameters: [String(latencyMs), String(rows)],
  });
  return { url: Ready.parse(child.ready).url, close: () => child.close() };
}
