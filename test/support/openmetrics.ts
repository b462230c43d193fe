import { type Dialect, SyntaxProblem, readDescriptor, readSample } from "./exposition-line.ts";
import {
  type MetricFamily,
  type MetricType,
  type Sample,
  checkFamily,
  sampleNames,
} from "./exposition-rules.ts";

export type { MetricFamily, MetricType, Sample };

/** The problem of an exposition, and its line. */
export class ExpositionError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(`Line ${line}: ${message}`);
    this.name = "ExpositionError";
    this.line = line;
  }
}

/**
 * Parses OpenMetrics 1.0 text, strictly: the grammar to the letter (of escapes, only the three that mean something), and every
 * MUST of the specification that a text alone can break. Families by name, in the order of the text.
 */
export function parseOpenMetrics(text: string): Map<string, MetricFamily> {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const end = lines.indexOf("# EOF");
  if (end < 0) throw new ExpositionError(Math.max(1, lines.length), 'no "# EOF" at the end');
  if (end !== lines.length - 1) throw new ExpositionError(end + 2, 'text after "# EOF"');
  return parseLines(lines.slice(0, -1), "openmetrics");
}

/**
 * Parses the Prometheus text format 0.0.4. Blank lines and comments are skipped, as the format requires. Other syntax
 * that no writer emits (tabs, repeated spaces, trailing commas) is an error.
 */
export function parseTextFormat(text: string): Map<string, MetricFamily> {
  if (text === "") return new Map();
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new ExpositionError(lines.length + 1, "no line feed at the end");
  return parseLines(lines, "text");
}

interface OpenFamily {
  readonly name: string;
  readonly line: number;
  type?: MetricType;
  unit?: string;
  help?: string;
  readonly samples: Sample[];
}

function parseLines(lines: readonly string[], dialect: Dialect): Map<string, MetricFamily> {
  const families = new FamilyList(dialect);
  for (const [index, line] of lines.entries()) {
    try {
      readLine(line, index + 1, dialect, families);
    } catch (error) {
      throw error instanceof SyntaxProblem ? new ExpositionError(index + 1, error.message) : error;
    }
  }
  return families.close();
}

function readLine(text: string, line: number, dialect: Dialect, families: FamilyList): void {
  if (!text.isWellFormed()) throw new SyntaxProblem("half of a surrogate pair, which UTF-8 cannot hold");
  if (text.startsWith("#")) {
    const descriptor = readDescriptor(text, dialect);
    if (descriptor) families.describe(descriptor.name, descriptor.field, descriptor.value, line);
  } else if (text !== "" || dialect === "openmetrics") {
    families.add({ ...readSample(text, dialect), line });
  }
}

/** Collects lines into families and refuses a family that begins twice. */
class FamilyList {
  readonly #dialect: Dialect;
  readonly #closed = new Map<string, MetricFamily>();
  /** The family by each sample name that it may have. */
  readonly #owners = new Map<string, string>();
  #open: OpenFamily | undefined;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  describe(name: string, field: "TYPE" | "UNIT" | "HELP", value: string, line: number): void {
    const family = this.#open?.name === name ? this.#open : this.#begin(name, line);
    const key = FIELDS[field];
    if (family.samples.length > 0) throw new SyntaxProblem(`${field} of "${name}" after its samples`);
    if (family[key] !== undefined) throw new SyntaxProblem(`second ${field} of "${name}"`);
    if (key === "type") family.type = metricType(value, this.#dialect);
    else family[key] = value;
  }

  add(sample: Sample): void {
    const open = this.#open;
    if (open && sampleNames(open.name, open.type ?? "unknown", this.#dialect).includes(sample.name)) {
      open.samples.push(sample);
    } else if (open?.name === sample.name) {
      const wanted = sampleNames(open.name, open.type ?? "unknown", this.#dialect).join('" or "');
      throw new SyntaxProblem(`sample "${sample.name}" of type ${open.type ?? "unknown"}, want "${wanted}"`);
    } else {
      this.#begin(sample.name, sample.line).samples.push(sample);
    }
  }

  close(): Map<string, MetricFamily> {
    this.#finish();
    return this.#closed;
  }

  #begin(name: string, line: number): OpenFamily {
    this.#finish();
    const owner = this.#closed.has(name) ? name : this.#owners.get(name);
    if (owner !== undefined)
      throw new SyntaxProblem(`"${name}" of the family "${owner}", which has ended already`);
    this.#open = { name, line, samples: [] };
    return this.#open;
  }

  #finish(): void {
    if (!this.#open) return;
    const { name, line, samples, type = "unknown", unit = "", help = "" } = this.#open;
    const family = { name, line, samples, type, unit, help };
    checkFamily(family, this.#dialect, (at, message) => {
      throw new ExpositionError(at, message);
    });
    for (const sampleName of sampleNames(name, type, this.#dialect)) {
      const owner = this.#owners.get(sampleName) ?? (this.#closed.has(sampleName) ? sampleName : undefined);
      if (owner !== undefined)
        throw new ExpositionError(line, `family "${name}" clashes with the family "${owner}"`);
      this.#owners.set(sampleName, name);
    }
    this.#closed.set(name, family);
    this.#open = undefined;
  }
}

const FIELDS = { TYPE: "type", UNIT: "unit", HELP: "help" } as const;

const COMMON_TYPES = ["counter", "gauge", "histogram", "summary"] as const;
const TYPES = {
  openmetrics: [...COMMON_TYPES, "gaugehistogram", "stateset", "info", "unknown"],
  text: COMMON_TYPES,
} as const satisfies Record<Dialect, readonly MetricType[]>;

function metricType(value: string, dialect: Dialect): MetricType {
  if (dialect === "text" && value === "untyped") return "unknown";
  const type = TYPES[dialect].find((known) => known === value);
  if (type === undefined) throw new SyntaxProblem(`unknown type "${value}"`);
  return type;
}
