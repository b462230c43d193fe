import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";
import { type Clock, systemClock } from "../clock.ts";
import type { Family } from "./family.ts";
import type { Format } from "./exposition.ts";
import { selfFamilies as families } from "./self-families.ts";

/** The exporter's own metrics, kept by prom-client: a few dozen series. */
export interface SelfMetrics {
  readonly polls: Counter;
  readonly pollFailures: Counter;
  readonly refusedAnswers: Counter;
  readonly upstreamRequests: Counter;
  readonly pollDuration: Gauge;
  readonly reloadSuccessful: Gauge;
  readonly reloadSuccess: Gauge;
  /**
   * The text in a format, with the end mark where the format has one. What the exporter counts is as of now; what Node
   * says of the process may be a second old, since it takes longer than all the rest of a scrape.
   */
  render(format: Format): Promise<Buffer>;
}

export interface Build {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/** What is read at the time of a scrape. */
export interface SelfReadings {
  readonly keys: number;
  readonly series: number;
  readonly seriesLimit: number;
  readonly creditValue: { readonly currency: string; readonly value: number } | undefined;
  /** Seconds, by collector. */
  readonly pollLag: ReadonlyMap<string, number>;
  readonly pollInterval: ReadonlyMap<string, number>;
  /** Seconds since the epoch, by endpoint. */
  readonly throttledUntil: ReadonlyMap<string, number>;
}

export function createSelfMetrics(
  build: Build,
  read: () => SelfReadings,
  clock: Pick<Clock, "monotonic"> = systemClock,
): SelfMetrics {
  const processText = createProcessText(clock);
  const registry = new Registry();
  const registers = [registry];
  const newCounter = (family: Family) => new Counter({ ...definition(family), registers });
  const newGauge = (family: Family, collect?: (this: Gauge) => void) =>
    new Gauge({ ...definition(family), registers, ...(collect && { collect }) });

  newGauge(families.buildInfo).set(
    { version: build.version, revision: build.revision, nodeversion: build.nodeVersion },
    1,
  );
  const reading = (family: Family, value: (readings: SelfReadings) => number) =>
    newGauge(family, function () {
      this.set(value(read()));
    });
  const readings = (family: Family, values: (readings: SelfReadings) => ReadonlyMap<string, number>) =>
    newGauge(family, function () {
      this.reset();
      const [label] = family.labels;
      if (label === undefined) return;
      for (const [name, value] of values(read())) this.set({ [label]: name }, value);
    });
  reading(families.keys, ({ keys }) => keys);
  reading(families.series, ({ series }) => series);
  reading(families.seriesLimit, ({ seriesLimit }) => seriesLimit);
  readings(families.pollLag, ({ pollLag }) => pollLag);
  readings(families.pollInterval, ({ pollInterval }) => pollInterval);
  readings(families.throttledUntil, ({ throttledUntil }) => throttledUntil);
  readings(
    families.creditValue,
    ({ creditValue }) => new Map(creditValue ? [[creditValue.currency, creditValue.value]] : []),
  );

  return {
    polls: newCounter(families.polls),
    pollFailures: newCounter(families.pollFailures),
    refusedAnswers: newCounter(families.refusedAnswers),
    upstreamRequests: newCounter(families.upstreamRequests),
    pollDuration: newGauge(families.pollDuration),
    reloadSuccessful: newGauge(families.reloadSuccessful),
    reloadSuccess: newGauge(families.reloadSuccess),
    render: async (format) => {
      const text = (await processText()) + (await registry.metrics());
      return Buffer.from(format === "text" ? text : toOpenMetrics(text));
    },
  };
}

const PROCESS_TEXT_LASTS_MS = 1000;

function createProcessText({ monotonic }: Pick<Clock, "monotonic">): () => Promise<string> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) {
    if (UNFIT.test(name)) registry.removeSingleMetric(name);
  }
  let text = Promise.resolve("");
  let madeAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (monotonic() - madeAt >= PROCESS_TEXT_LASTS_MS) {
      madeAt = monotonic();
      text = registry.metrics();
    }
    return text;
  };
}

/**
 * The same text in OpenMetrics: counters are named without their suffix, quotes in HELP are escaped, and there is an end
 * mark. prom-client's own OpenMetrics registry renames the counters for the text format, too.
 */
function toOpenMetrics(text: string): string {
  const lines = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^# (HELP|TYPE) (\w+)_total /, "# $1 $2 "))
    .map((line) => (line.startsWith("# HELP ") ? line.replaceAll('"', '\\"') : line));
  return `${lines.join("\n")}\n# EOF\n`;
}

/** Gauges whose names end in _total, which no format allows, and figures that are no numbers before the first sample. */
const UNFIT = /^nodejs_(active_|eventloop_lag_(min|mean|stddev)_)/;

function definition(family: Family) {
  return { name: family.name, help: family.help, labelNames: [...family.labels] };
}
