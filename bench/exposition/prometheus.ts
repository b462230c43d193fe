import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Prometheus, startPrometheus } from "../../test/support/prometheus.ts";
import { toolPath } from "../../test/support/tools.ts";
import { atMost, ratio, type Arena, type Benchmark, type Runner } from "../benchmark.ts";
import { median } from "../statistics.ts";
import { bytesOf } from "./scrape.ts";
import { startContender } from "./start.ts";

const SERIES = 200_000;
const INTERVAL_MS = 2000;
const SCRAPES_PER_ROUND = 4;

/** Compares what Prometheus itself measures for scrapes of the exporter and of a static file. */
export const prometheusBenchmark: Benchmark = {
  name: "exposition/prometheus",
  title:
    "A real Prometheus scrapes 200,000 series every two seconds from the exporter and from a static server of the same bytes: " +
    "its own `scrape_duration_seconds`.",
  quantities: [{ name: "duration", unit: "ms" }],
  goals: [
    atMost("duration", ratio("exporter", "static"), 1.1, 1.03),
    atMost("duration", ratio("exporter, zstd", "static"), 1.1, 1),
  ],
  rounds: 6,
  reference: { contender: "static", quantity: "duration" },
  open: async () => {
    const binary = toolPath("prometheus3");
    if (binary !== undefined) return openArena(binary);
    const skipped = "Prometheus is not installed";
    return { contenders: [{ name: "exporter", skipped }], close: async () => {} };
  },
};

async function openArena(binary: string): Promise<Arena> {
  const directory = mkdtempSync(join(tmpdir(), "exposition-bench-"));
  const exporter = await startContender("exporter.ts", SERIES);
  const file = join(directory, "metrics.gz");
  writeFileSync(file, await bytesOf(exporter.port));
  const fixed = await startContender("static.ts", file);
  const options = { binary, interval: `${INTERVAL_MS}ms`, format: "text" } as const;
  const targets = { exporter: [`127.0.0.1:${exporter.port}`], static: [`127.0.0.1:${fixed.port}`] };
  const prometheus = await startPrometheus({ ...options, targets });
  const flags = ["--enable-feature=zstd-scrape"];
  const withZstd = await startPrometheus({ ...options, flags, targets: { exporter: targets.exporter } });
  return {
    contenders: [
      runnerOf("exporter", "exporter", prometheus),
      runnerOf("static", "static", prometheus),
      runnerOf("exporter, zstd", "exporter", withZstd),
    ],
    close: async () => {
      await Promise.all([prometheus.stop(), withZstd.stop()]);
      await Promise.all([exporter.close(), fixed.close()]);
      rmSync(directory, { recursive: true });
    },
  };
}

/** All are scraped all the time, so that rounds cover the same moments. */
function runnerOf(name: string, job: string, prometheus: Prometheus): Runner {
  let seenUntil = 0;
  return {
    name,
    round: async () => {
      for (;;) {
        // The raw samples; a range query would repeat some of them.
        const samples = await prometheus.query(`scrape_duration_seconds{job="${job}"}[60s]`);
        const fresh = samples.filter(({ at }) => at > seenUntil);
        if (fresh.length >= SCRAPES_PER_ROUND) {
          seenUntil = Math.max(...fresh.map(({ at }) => at));
          return { duration: median(fresh.map(({ value }) => value)) * 1000 };
        }
        await sleep(INTERVAL_MS / 4);
      }
    },
  };
}
