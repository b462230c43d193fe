/** A sample, without a timestamp: no exporter of ours sends any. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  /** `untyped` of the text format is `unknown` here. */
  readonly type: MetricType;
  readonly unit: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The problem of an exposition, and its line. */
export class ExpositionError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
    this.line = line;
  }
}

/** Parses OpenMetrics 1.0, strictly. Families by name, in the order of the text. */
export function parseOpenMetrics(text: string): ReadonlyMap<string, MetricFamily> {
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.pop() !== "# EOF") throw new ExpositionError(lines.length + 1, 'no "# EOF" at the end');
  return parseLines(lines, "openmetrics");
}

/** Parses the Prometheus text format 0.0.4. Syntax that no writer emits (tabs, trailing commas) is an error. */
export function parseTextFormat(text: string): ReadonlyMap<string, MetricFamily> {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new ExpositionError(lines.length + 1, "no line feed at the end");
  return parseLines(lines, "text");
}

type Dialect = "openmetrics" | "text";
type MetricType = "counter" | "gauge" | "histogram" | "stateset" | "info" | "summary" | "unknown";
type OpenFamily = { -readonly [Key in keyof MetricFamily]?: MetricFamily[Key] } & {
  name: string;
  samples: Sample[];
};

/** What samples of a type are named, after the name of the family. */
const SUFFIXES: Record<Dialect, Partial<Record<MetricType, readonly string[]>>> = {
  openmetrics: { counter: ["_total"], info: ["_info"], histogram: ["_bucket", "_count", "_sum"] },
  text: { histogram: ["_bucket", "_count", "_sum"], summary: ["", "_count", "_sum"] },
};

const TYPES: Record<Dialect, Readonly<Record<string, MetricType>>> = {
  openmetrics: {
    counter: "counter",
    gauge: "gauge",
    histogram: "histogram",
    stateset: "stateset",
    info: "info",
  },
  text: {
    counter: "counter",
    gauge: "gauge",
    histogram: "histogram",
    summary: "summary",
    untyped: "unknown",
  },
};

const DESCRIPTOR = /^# (TYPE|UNIT|HELP) ([a-zA-Z_:][\w:]*) (.*)$/s;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/s;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\n"])*)"(?:,(?=.)|$)/suy;
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN)$/i;
const HELP: Record<Dialect, RegExp> = {
  openmetrics: /^(?:[^\\"]|\\[\\n"])*$/,
  text: /^(?:[^\\]|\\[\\n])*$/,
};

function parseLines(lines: readonly string[], dialect: Dialect): ReadonlyMap<string, MetricFamily> {
  const families = new Map<string, MetricFamily>();
  /** Names of samples whose family has ended. */
  const ended = new Set<string>();
  let open: OpenFamily | undefined;

  function end(): void {
    if (!open) return;
    const { name, type = "unknown", unit = "", help = "", samples } = open;
    for (const each of [name, ...namesOf(name, type, dialect)]) ended.add(each);
    families.set(name, { name, type, unit, help, samples });
    if (unit !== "" && !name.endsWith(`_${unit}`))
      throw new Error(`"${name}" ends with another unit than "${unit}"`);
    checkSeries(samples);
    if (type === "histogram") checkBuckets(name, samples);
  }

  function begin(name: string): OpenFamily {
    end();
    if (ended.has(name)) throw new Error(`the family of "${name}" has ended already`);
    return (open = { name, samples: [] });
  }

  function describe(field: string, name: string, value: string): void {
    const family = open?.name === name ? open : begin(name);
    const key = ({ TYPE: "type", UNIT: "unit", HELP: "help" } as const)[field];
    if (key === undefined || (key === "unit" && dialect === "text")) return;
    if (family.samples.length > 0) throw new Error(`${field} of "${name}" after its samples`);
    if (family[key] !== undefined) throw new Error(`second ${field} of "${name}"`);
    if (key === "help" && !HELP[dialect].test(value))
      throw new Error(`an escape in ${JSON.stringify(value)}`);
    if (key !== "type") family[key] = unescaped(value);
    else if (Object.hasOwn(TYPES[dialect], value)) family.type = TYPES[dialect][value] ?? "unknown";
    else throw new Error(`unknown type "${value}"`);
  }

  function readLine(line: string): void {
    if (!line.isWellFormed()) throw new Error("half of a surrogate pair, which UTF-8 cannot hold");
    const [, field, described = "", value = ""] = DESCRIPTOR.exec(line) ?? [];
    if (field !== undefined) return describe(field, described, value);
    if (dialect === "text" && (line === "" || line.startsWith("#"))) return;
    const sample = readSample(line);
    const isOwn = open && namesOf(open.name, open.type ?? "unknown", dialect).includes(sample.name);
    const family = open && isOwn ? open : begin(sample.name);
    checkValue(family, sample);
    family.samples.push(sample);
  }

  let number = 0;
  try {
    for (const line of lines) {
      number++;
      readLine(line);
    }
    end();
  } catch (error) {
    throw new ExpositionError(number, error instanceof Error ? error.message : String(error));
  }
  return families;
}

function namesOf(family: string, type: MetricType, dialect: Dialect): readonly string[] {
  return (SUFFIXES[dialect][type] ?? [""]).map((suffix) => family + suffix);
}

function readSample(line: string): Sample {
  const [, name, written = "", value = ""] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !NUMBER.test(value))
    throw new Error(`no sample: ${JSON.stringify(line.slice(0, 80))}`);
  const labels = new Map<string, string>();
  LABEL.lastIndex = 0;
  for (let at = 0; at < written.length; at = LABEL.lastIndex) {
    const [, label, text = ""] = LABEL.exec(written) ?? [];
    if (label === undefined) throw new Error(`no label: ${JSON.stringify(written.slice(at, at + 80))}`);
    if (labels.has(label) || label.startsWith("__")) throw new Error(`second or reserved label "${label}"`);
    labels.set(label, unescaped(text));
  }
  return { name, labels: Object.fromEntries(labels), value: Number(value.replace(/Inf/i, "Infinity")) };
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, character: string) => (character === "n" ? "\n" : character));
}

function checkValue({ name: family, type }: OpenFamily, { name, labels, value }: Sample): void {
  const wrong = `${type} "${name}" of ${value}`;
  if (type === "counter" && !(value >= 0)) throw new Error(`${wrong}, want 0 or more`);
  if (type === "info" && value !== 1) throw new Error(`${wrong}, want 1`);
  if (type === "stateset" && (labels[family] === undefined || (value !== 0 && value !== 1)))
    throw new Error(`${wrong}, want 0 or 1 and a label "${family}"`);
}

/** Each series occurs once. An empty label equals a missing one. */
function checkSeries(samples: readonly Sample[]): void {
  const seen = new Set<string>();
  for (const { name, labels } of samples) {
    const series = `${name}${keyOf(labels)}`;
    if (seen.has(series)) throw new Error(`series ${series} occurs twice`);
    seen.add(series);
  }
}

function keyOf(labels: Sample["labels"], without = ""): string {
  const entries = Object.entries(labels).filter(([name, value]) => name !== without && value !== "");
  return JSON.stringify(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The buckets of each metric are together, in order, cumulative and complete. */
function checkBuckets(family: string, samples: readonly Sample[]): void {
  const metrics = Map.groupBy(samples, ({ labels }) => keyOf(labels, "le"));
  for (const metric of metrics.values()) {
    let [bound, count] = [-Infinity, 0];
    for (const { labels, value } of metric.filter(({ name }) => name === `${family}_bucket`)) {
      const next = Number(labels["le"]?.replace("+Inf", "Infinity"));
      if (!(next > bound && value >= count))
        throw new Error(`bucket ${labels["le"]} of ${value}, want it cumulative`);
      [bound, count] = [next, value];
    }
    if (bound !== Infinity) throw new Error(`no bucket "+Inf" of "${family}"`);
    const total = metric.find(({ name }) => name === `${family}_count`)?.value;
    if (total !== count) throw new Error(`count of ${total}, want ${count} as in "+Inf"`);
  }
}
