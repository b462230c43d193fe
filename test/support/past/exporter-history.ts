import type { Config } from "../../../exporter/config/config.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { createManualClock } from "../clock.ts";
import { silentLog } from "../log.ts";
import { createTestApp } from "../test-app.ts";

export interface HistoryOptions {
  readonly gateway: Gateway;
  readonly config: Config;
  /** When the exporter begins to poll. */
  readonly startAt: number;
  /** The times of the scrapes, epoch milliseconds, ascending. Polls follow the configuration's schedule. */
  readonly times: readonly number[];
  /** Labels that a scrape adds. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What a Prometheus would have stored from one scrape: lines of OpenMetrics with their time. */
export interface ScrapedLines {
  readonly at: number;
  readonly lines: readonly string[];
}

/**
 * Runs an exporter against the gateway through a period of the past, and scrapes it along the way. The gateway's
 * clock stops at the end of the period; the caller resumes it.
 */
export async function* exporterHistory(options: HistoryOptions): AsyncGenerator<ScrapedLines> {
  const { gateway, config, startAt, times, labels } = options;
  gateway.clock.speed = 0;
  const clock = createManualClock(startAt);
  const app = createTestApp(config, { clock, log: silentLog });
  await app.start();
  try {
    for (const at of times) {
      // Time leaps from timer to timer: weeks pass as fast as the gateway answers.
      while (clock.now() < at) {
        const [next = at] = clock.pending();
        // A due timer that starts another one immediately must not stop time.
        const to = Math.min(Math.max(next, clock.now() + 1), at);
        gateway.clock.set(Math.floor(to));
        await clock.runTo(to, Infinity);
      }
      yield { at, lines: await scrape(app.url(), at, labels) };
    }
  } finally {
    await app.stop();
  }
}

/** Comments, and process metrics, which here include this program and its gateway. */
const NOT_KEPT = /^(?:#|process_|nodejs_)/;

async function scrape(url: string, at: number, labels: HistoryOptions["labels"]): Promise<readonly string[]> {
  const began = performance.now();
  const response = await fetch(`${url}/metrics`);
  const text = await response.text();
  const samples = text.split("\n").filter((line) => line !== "" && !NOT_KEPT.test(line));
  const own = [
    "up 1",
    `scrape_duration_seconds ${(performance.now() - began) / 1000}`,
    `scrape_samples_scraped ${samples.length}`,
  ];
  return [...samples, ...own].map((line) => timed(line, at, labels));
}

/** `name{a="b"} 1` as `name{job="c",a="b"} 1 1763725920.000`; label values may contain anything, including spaces and braces. */
function timed(line: string, at: number, labels: HistoryOptions["labels"]): string {
  const [, name = "", own = "", value = ""] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/s.exec(line) ?? [];
  if (name === "") throw new Error(`Cannot read the sample ${JSON.stringify(line)}`);
  const added = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
  return `${name}{${[...added, ...(own === "" ? [] : [own])].join(",")}} ${value} ${(at / 1000).toFixed(3)}`;
}
