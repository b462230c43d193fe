import type { Dialect, SampleLine } from "./exposition-line.ts";

export type MetricType =
  | "counter"
  | "gauge"
  | "histogram"
  | "gaugehistogram"
  | "stateset"
  | "info"
  | "summary"
  | "unknown";

export interface Sample extends SampleLine {
  /** Line of the exposition, from 1. */
  readonly line: number;
}

export interface MetricFamily {
  readonly name: string;
  /** `untyped` of the text format is `unknown` here. */
  readonly type: MetricType;
  readonly unit: string;
  readonly help: string;
  readonly samples: readonly Sample[];
  /** Line on which the family begins. */
  readonly line: number;
}

type Fail = (line: number, message: string) => never;

/** The names that samples of a family may have. */
export function sampleNames(family: string, type: MetricType, dialect: Dialect): readonly string[] {
  return SUFFIXES[dialect][type].map((suffix) => family + suffix);
}

/** Calls `fail` for the first rule of its type that a family breaks. */
export function checkFamily(family: MetricFamily, dialect: Dialect, fail: Fail): void {
  checkUnit(family, fail);
  checkSeries(family, fail);
  const metrics = metricsOf(family, dialect, fail);
  for (const metric of metrics) CHECKS[family.type](family.name, metric, fail, dialect);
  for (const { exemplar, line, name } of family.samples) {
    if (exemplar && !/_bucket$|_total$/.test(name))
      fail(line, `exemplar on "${name}", want it on _bucket or _total only`);
  }
}

const TEXT_PLAIN: readonly string[] = [""];
const SUFFIXES = {
  openmetrics: {
    counter: ["_total", "_created"],
    gauge: [""],
    histogram: ["_bucket", "_count", "_sum", "_created"],
    gaugehistogram: ["_bucket", "_gcount", "_gsum"],
    stateset: [""],
    info: ["_info"],
    summary: ["", "_count", "_sum", "_created"],
    unknown: [""],
  },
  text: {
    counter: TEXT_PLAIN,
    gauge: TEXT_PLAIN,
    histogram: ["_bucket", "_count", "_sum"],
    gaugehistogram: TEXT_PLAIN,
    stateset: TEXT_PLAIN,
    info: TEXT_PLAIN,
    summary: ["", "_count", "_sum"],
    unknown: TEXT_PLAIN,
  },
} as const satisfies Record<Dialect, Record<MetricType, readonly string[]>>;

type Check = (family: string, metric: readonly Sample[], fail: Fail, dialect: Dialect) => void;

const CHECKS: Record<MetricType, Check> = {
  counter: checkCounter,
  gauge: () => {},
  unknown: () => {},
  histogram: (family, metric, fail) => checkBuckets(family, metric, "_count", "_sum", fail),
  gaugehistogram: (family, metric, fail) => checkBuckets(family, metric, "_gcount", "_gsum", fail),
  stateset: checkStates,
  info: checkInfo,
  summary: checkSummary,
};

function checkUnit({ name, unit, type, line }: MetricFamily, fail: Fail): void {
  if (unit === "") return;
  if (type === "info" || type === "stateset")
    fail(line, `unit "${unit}" of "${name}", want none for ${type}`);
  if (!name.endsWith(`_${unit}`)) fail(line, `unit "${unit}" is not the suffix of "${name}"`);
}

/** A series occurs once, or several times with increasing timestamps. */
function checkSeries(family: MetricFamily, fail: Fail): void {
  const last = new Map<string, Sample>();
  for (const sample of family.samples) {
    const key = `${sample.name}${labelKey(sample, undefined)}`;
    const before = last.get(key);
    if (before && !(before.at !== undefined && sample.at !== undefined && sample.at > before.at)) {
      fail(sample.line, `series ${key} occurs on line ${before.line} already`);
    }
    last.set(key, sample);
  }
}

/** Groups the samples of a family by metric: by all labels except the one that the type adds. */
function metricsOf(family: MetricFamily, dialect: Dialect, fail: Fail): readonly (readonly Sample[])[] {
  const metrics = new Map<string, Sample[]>();
  let current: string | undefined;
  for (const sample of family.samples) {
    const key = labelKey(sample, specialLabel(family));
    if (dialect === "openmetrics" && key !== current && metrics.has(key)) {
      fail(sample.line, `samples of "${family.name}"${key} are not together`);
    }
    metrics.set(key, [...(metrics.get(key) ?? []), sample]);
    current = key;
  }
  return [...metrics.values()];
}

function specialLabel({ name, type }: MetricFamily): string | undefined {
  switch (type) {
    case "histogram":
    case "gaugehistogram":
      return "le";
    case "summary":
      return "quantile";
    case "stateset":
      return name;
    case "counter":
    case "gauge":
    case "info":
    case "unknown":
      return undefined;
  }
}

/** An empty label equals a missing one. */
function labelKey({ labels }: Sample, without: string | undefined): string {
  const entries = Object.entries(labels).filter(([name, value]) => name !== without && value !== "");
  return JSON.stringify(Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))));
}

function checkCounter(family: string, metric: readonly Sample[], fail: Fail, dialect: Dialect): void {
  const total = dialect === "openmetrics" ? `${family}_total` : family;
  for (const { name, value, line } of metric) {
    if (name === total && !(value >= 0)) fail(line, `counter "${name}" of ${value}, want 0 or more`);
  }
  if (metric.every(({ name }) => name !== total))
    fail(metric[0]?.line ?? 0, `no "${total}" beside "${family}_created"`);
}

function checkInfo(family: string, metric: readonly Sample[], fail: Fail): void {
  for (const { value, line } of metric) if (value !== 1) fail(line, `info "${family}" of ${value}, want 1`);
}

function checkStates(family: string, metric: readonly Sample[], fail: Fail): void {
  for (const { value, labels, line } of metric) {
    if (labels[family] === undefined) fail(line, `no label "${family}" for the state`);
    if (value !== 0 && value !== 1) fail(line, `state of ${value}, want 0 or 1`);
  }
}

function checkSummary(family: string, metric: readonly Sample[], fail: Fail): void {
  for (const { name, value, labels, line } of metric) {
    const quantile = labels["quantile"];
    if (name !== family) {
      if (quantile !== undefined) fail(line, `quantile on "${name}"`);
      if (!name.endsWith("_created") && !(value >= 0)) fail(line, `"${name}" of ${value}, want 0 or more`);
    } else if (!(Number(quantile || Number.NaN) >= 0 && Number(quantile) <= 1)) {
      fail(line, `quantile ${JSON.stringify(quantile)}, want a number from 0 to 1`);
    }
  }
}

function checkBuckets(
  family: string,
  metric: readonly Sample[],
  countSuffix: string,
  sumSuffix: string,
  fail: Fail,
): void {
  const buckets = metric.filter(({ name }) => name === `${family}_bucket`);
  const count = metric.find(({ name }) => name === family + countSuffix);
  const sum = metric.find(({ name }) => name === family + sumSuffix);
  const first = metric[0]?.line ?? 0;
  let before = { bound: -Infinity, value: 0 };
  for (const { labels, value, line } of buckets) {
    const bound = labels["le"] === "+Inf" ? Infinity : Number(labels["le"] || Number.NaN);
    if (Number.isNaN(bound))
      fail(line, `bucket bound ${JSON.stringify(labels["le"])}, want a number or "+Inf"`);
    if (bound <= before.bound) fail(line, `bucket bound ${bound} after ${before.bound}, want it greater`);
    if (!(value >= before.value))
      fail(line, `bucket of ${value} after one of ${before.value}, want it cumulative`);
    before = { bound, value };
  }
  if (before.bound !== Infinity) fail(first, `no bucket "+Inf" of "${family}"`);
  if ((count === undefined) !== (sum === undefined))
    fail(first, `"${family}" has only one of a sum and a count`);
  if (count && count.value !== before.value)
    fail(count.line, `count of ${count.value}, want ${before.value} as in "+Inf"`);
  if (count?.labels["le"] !== undefined) fail(count.line, `le on "${count.name}"`);
}
