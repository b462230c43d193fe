import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Clock } from "../time/clock.ts";
import type { Family, HistogramFamily } from "./family.ts";
import type { Format } from "./render/exposition.ts";
import { deflateNow, type Piece } from "./render/gzip.ts";

/**
 * The exporter's own metrics, a few dozen series. Each part of the exporter creates the metrics that it updates;
 * asking for the same family again returns the same metric, so that counters continue when a reload replaces their
 * part.
 */
export interface SelfRegistry {
  counter<Label extends string>(family: Family<Label>): SelfCounter<Label>;
  /** With `read`, each scrape replaces all samples by its result. The newest `read` of a family is used. */
  gauge<Label extends string>(family: Family<Label>, read?: () => SelfSamples<Label>): SelfGauge<Label>;
  histogram<Label extends string>(family: HistogramFamily<Label>): SelfHistogram<Label>;
  /** The text in a format, in two parts, with the format's end mark. */
  parts(format: Format): Promise<SelfParts>;
}

export interface SelfCounter<Label extends string> {
  /** Adds 1 by default. Adding 0 creates the series. */
  inc(labels: Labels<Label>, amount?: number): void;
}

export interface SelfGauge<Label extends string> {
  set(labels: Labels<Label>, value: number): void;
}

export interface SelfHistogram<Label extends string> {
  observe(labels: Labels<Label>, value: number): void;
  /** Creates the series, without an observation. */
  zero(labels: Labels<Label>): void;
}

export type SelfSamples<Label extends string> = Iterable<readonly [labels: Labels<Label>, value: number]>;

type Labels<Label extends string> = Readonly<Record<Label, string>>;

export interface SelfParts {
  /**
   * Metrics of Node and the process, up to a second old, because collecting them takes longer than the rest
   * of a scrape.
   */
  readonly runtime: { readonly text: Buffer; readonly piece: Piece };
  /** The exporter's own metrics, as of now. */
  readonly own: Buffer;
}

export function createSelfRegistry(clock: Pick<Clock, "monotonic">): SelfRegistry {
  const registry = new Registry();
  const registers = [registry];
  const runtimePart = createRuntimePart(clock);
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  const reads = new Map<string, () => SelfSamples<string>>();

  const newGauge = (family: Family) =>
    new Gauge({
      ...definition(family),
      registers,
      collect() {
        const read = reads.get(family.name);
        if (!read) return;
        this.reset();
        // An unlabelled gauge is 0 after a reset, and an unknown value has no sample.
        this.remove({});
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });

  return {
    counter: (family) => found(counters, family, () => new Counter({ ...definition(family), registers })),
    gauge: (family, read) => {
      if (read) reads.set(family.name, read);
      return found(gauges, family, () => newGauge(family));
    },
    histogram: (family) =>
      found(
        histograms,
        family,
        () => new Histogram({ ...definition(family), buckets: [...family.buckets], registers }),
      ),
    parts: async (format) => {
      const runtime = await runtimePart(format);
      const text = inFormat(await registry.metrics(), format);
      return { runtime, own: Buffer.from(format === "text" ? text : `${text}# EOF\n`) };
    },
  };
}

function definition({ name, help, labels }: Family) {
  return { name, help, labelNames: [...labels] };
}

function found<Metric>(known: Map<string, Metric>, { name }: Family, create: () => Metric): Metric {
  const metric = known.get(name) ?? create();
  known.set(name, metric);
  return metric;
}

/** How old the metrics of the process may be. */
const RUNTIME_LASTS_MS = 1000;

/** Gauges whose names end in `_total`, which no format allows, and values that are NaN before the first measurement. */
const UNFIT = /^nodejs_(active_|eventloop_lag_(min|mean|stddev)_)/;

/** Collects the metrics of Node and the process at most once a second, and compresses them. */
function createRuntimePart(clock: Pick<Clock, "monotonic">) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    if (UNFIT.test(name)) registry.removeSingleMetric(name);
  }
  const made = new Map<Format, { readonly atMs: number; readonly part: Promise<SelfParts["runtime"]> }>();

  async function render(format: Format): Promise<SelfParts["runtime"]> {
    const text = Buffer.from(inFormat(await registry.metrics(), format));
    return { text, piece: deflateNow(text) };
  }

  return (format: Format): Promise<SelfParts["runtime"]> => {
    const last = made.get(format);
    if (last && clock.monotonic() - last.atMs < RUNTIME_LASTS_MS) return last.part;
    const part = render(format);
    made.set(format, { atMs: clock.monotonic(), part });
    return part;
  };
}

/**
 * prom-client's text, or the same in OpenMetrics: counters are named without their suffix, quotes in HELP are
 * escaped, and bounds of buckets have a decimal point. prom-client's own OpenMetrics registry also renames
 * the counters of the text format.
 */
function inFormat(text: string, format: Format): string {
  if (format === "text") return text;
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `${openMetricsLine(line)}\n`)
    .join("");
}

function openMetricsLine(line: string): string {
  if (!line.startsWith("# ")) return line.replace(/\ble="(\d+)"/, 'le="$1.0"');
  const header = line.replace(/^# (HELP|TYPE) (\w+)_total /, "# $1 $2 ");
  return header.startsWith("# HELP ") ? header.replaceAll('"', '\\"') : header;
}
