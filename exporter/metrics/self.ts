import { Counter, Gauge, Registry } from "prom-client";
import { type Clock, systemClock } from "../time/clock.ts";
import type { Family } from "./family.ts";
import type { Format } from "./render/exposition.ts";
import { inFormat } from "./prom-client-text.ts";
import { createRuntimePart, type RuntimePart } from "./runtime.ts";
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
  /** The whole text in a format, with the end mark where the format has one. */
  render(format: Format): Promise<Buffer>;
  /** The same in two parts. */
  parts(format: Format): Promise<SelfParts>;
}

export interface SelfParts {
  /** What Node says of the process: at most a second old, since it takes longer than all the rest of a scrape. */
  readonly runtime: RuntimePart;
  /** What the exporter counts, as of now. */
  readonly own: Buffer;
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
  /** Undefined: there is no web configuration. */
  readonly webUpToDate?: boolean | undefined;
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
  const runtimePart = createRuntimePart(clock);
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
  newGauge(families.webUpToDate, function () {
    const { webUpToDate } = read();
    if (webUpToDate === undefined) this.remove();
    else this.set(Number(webUpToDate));
  });
  readings(families.pollLag, ({ pollLag }) => pollLag);
  readings(families.pollInterval, ({ pollInterval }) => pollInterval);
  readings(families.throttledUntil, ({ throttledUntil }) => throttledUntil);
  readings(
    families.creditValue,
    ({ creditValue }) => new Map(creditValue ? [[creditValue.currency, creditValue.value]] : []),
  );

  const parts = async (format: Format): Promise<SelfParts> => {
    const runtime = await runtimePart(format);
    const text = inFormat(await registry.metrics(), format);
    return { runtime, own: Buffer.from(format === "text" ? text : `${text}# EOF\n`) };
  };

  return {
    polls: newCounter(families.polls),
    pollFailures: newCounter(families.pollFailures),
    refusedAnswers: newCounter(families.refusedAnswers),
    upstreamRequests: newCounter(families.upstreamRequests),
    pollDuration: newGauge(families.pollDuration),
    reloadSuccessful: newGauge(families.reloadSuccessful),
    reloadSuccess: newGauge(families.reloadSuccess),
    parts,
    render: async (format) => {
      const { runtime, own } = await parts(format);
      return Buffer.concat([runtime.text, own]);
    },
  };
}

function definition(family: Family) {
  return { name: family.name, help: family.help, labelNames: [...family.labels] };
}
