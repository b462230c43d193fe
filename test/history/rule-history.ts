import { createServer } from "node:http";

import type { RecordingRule, RuleGroup } from "../../dashboards/rules/rule.ts";
import { rulePasses } from "../../exporter/cli/backfill/rule-passes.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import type { PrometheusApi, Range } from "../support/prometheus-api.ts";
import { until } from "../support/until.ts";

/**
 * Feeds past samples to a running Prometheus: a target whose exposition has timestamps. Prometheus accepts them if
 * `out_of_order_time_window` allows it, and they can be queried at once, unlike blocks.
 */
export interface SampleFeed {
  /** `127.0.0.1:40123`, to be scraped with `honor_labels`. */
  readonly address: string;
  /** Resolves when Prometheus has stored the lines. */
  give(lines: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export async function startSampleFeed(): Promise<SampleFeed> {
  const waiting: { readonly text: string; readonly stored: () => void }[] = [];
  let delivered: (() => void) | undefined;
  const server = createServer((_request, response) => {
    // Scrapes of a target are sequential, so the previous one is stored.
    delivered?.();
    const next = waiting.shift();
    delivered = next?.stored;
    response.setHeader("content-type", "text/plain; version=0.0.4");
    response.end(next?.text ?? "");
  });
  const { address, stop } = await listenOnLoopback(server);
  return {
    address,
    give: async (lines) => {
      const pieces = Array.from({ length: Math.ceil(lines.length / PIECE) }, (_, index) =>
        lines.slice(index * PIECE, (index + 1) * PIECE),
      );
      await Promise.all(
        pieces.map(
          (piece) =>
            new Promise<void>((resolve) => waiting.push({ text: `${piece.join("\n")}\n`, stored: resolve })),
        ),
      );
    },
    stop,
  };
}

/** Lines of one scrape. */
const PIECE = 20_000;

/** Computes the past of the recording rules: each rule is evaluated over the range once its inputs exist. */
export async function recordPast(
  prometheus: PrometheusApi,
  feed: SampleFeed,
  groups: readonly RuleGroup[],
  range: Range,
): Promise<void> {
  for (const level of rulePasses(groups)) {
    const lines = (await Promise.all(level.map((rule) => linesOf(prometheus, rule, range)))).flat();
    // A scrape may time out on a busy machine; samples that are sent twice are stored once.
    await until(
      `the past of ${level.map(({ record }) => record).join(", ")}`,
      async () => {
        await feed.give(lines);
        return stored(prometheus, level, range);
      },
      (samples) => samples >= lines.length,
    );
  }
}

/** The number of samples of these rules. */
async function stored(
  prometheus: PrometheusApi,
  rules: readonly RecordingRule[],
  { start, end }: Range,
): Promise<number> {
  const seconds = Math.ceil((end - start) / 1000) + 1;
  const counts = await Promise.all(
    rules.map(({ record }) => prometheus.query(`sum(count_over_time(${record}[${seconds}s]))`, end + 1)),
  );
  return counts.flat().reduce((sum, { value }) => sum + value, 0);
}

async function linesOf(
  prometheus: PrometheusApi,
  { record, expr }: RecordingRule,
  range: Range,
): Promise<readonly string[]> {
  const series = await prometheus.queryRange(expr, range);
  return series.flatMap(({ labels, points }) => {
    // An empty instance keeps Prometheus from adding that of the feed.
    const own = Object.entries({ instance: "", ...labels }).filter(([name]) => name !== "__name__");
    const text = own.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return points.map(({ value, at }) => `${record}{${text.join(",")}} ${numberText(value)} ${at}`);
  });
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
