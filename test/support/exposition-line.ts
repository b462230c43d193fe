/** The grammar: OpenMetrics 1.0, or the Prometheus text format 0.0.4. */
export type Dialect = "openmetrics" | "text";

export type Labels = Readonly<Record<string, string>>;

export interface SampleLine {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
  /** Timestamp in epoch milliseconds, if present. */
  readonly at: number | undefined;
  readonly exemplar: { readonly labels: Labels; readonly value: number } | undefined;
}

export interface Descriptor {
  readonly field: "TYPE" | "UNIT" | "HELP";
  readonly name: string;
  readonly value: string;
}

/** A line that breaks the grammar; the caller adds its number. */
export class SyntaxProblem extends Error {}

/** Reads a `# TYPE`, `# UNIT` or `# HELP` line; undefined for a comment, which only the text format knows. */
export function readDescriptor(text: string, dialect: Dialect): Descriptor | undefined {
  const reader = new Reader(text);
  const field =
    dialect === "openmetrics" ? reader.maybe(/# (TYPE|UNIT|HELP) /y) : reader.maybe(/# (TYPE|HELP) /y);
  if (field === undefined) {
    if (dialect === "text") return undefined;
    throw new SyntaxProblem("comment, want TYPE, UNIT, HELP or EOF");
  }
  const name = reader.take("metric name", METRIC_NAME);
  reader.take("space", / /y);
  const rest = reader.take("rest of the line", /.*/sy);
  switch (field) {
    case "# HELP ":
      return { field: "HELP", name, value: unescape(rest, HELP_ESCAPES[dialect]) };
    case "# UNIT ":
      return { field: "UNIT", name, value: whole(rest, /[a-zA-Z0-9_:]*/y, "unit") };
    default:
      return { field: "TYPE", name, value: whole(rest, /[a-z]+/y, "type") };
  }
}

/** Reads a sample line. */
export function readSample(text: string, dialect: Dialect): SampleLine {
  const reader = new Reader(text);
  const name = reader.take("metric name", METRIC_NAME);
  const labels = reader.maybe(/(?=\{)/y) === undefined ? {} : readLabels(reader);
  reader.take("space", / /y);
  const value = readNumber(reader);
  const at = reader.maybe(/ (?!#)/y) === undefined ? undefined : readTimestamp(reader, dialect);
  const exemplar = dialect === "openmetrics" ? readExemplar(reader) : undefined;
  reader.end();
  return { name, labels, value, at, exemplar };
}

const METRIC_NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL_NAME = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const REAL_NUMBER = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy;
const SPECIAL_NUMBER = /[+-]?inf(?:inity)?|nan/iy;
/**
 * Rejects a backslash before any character other than the three of the grammar, because a writer forgot to escape it.
 */
const ALL_ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["\\", "\\"],
  ['"', '"'],
]);
const HELP_ESCAPES = {
  openmetrics: { known: ALL_ESCAPES, quotes: false },
  text: { known: new Map([...ALL_ESCAPES].filter(([name]) => name !== '"')), quotes: true },
} as const;
/** "The combined length of the label names and values of an Exemplar's LabelSet MUST NOT exceed 128 UTF-8 characters." */
const EXEMPLAR_CHARACTERS = 128;

function readLabels(reader: Reader): Labels {
  const labels = new Map<string, string>();
  reader.take("{", /\{/y);
  if (reader.maybe(/\}/y) !== undefined) return {};
  do {
    const name = reader.take("label name", LABEL_NAME);
    if (name.startsWith("__")) throw new SyntaxProblem(`label name "${name}" is reserved`);
    if (labels.has(name)) throw new SyntaxProblem(`second label "${name}"`);
    reader.take('="', /="/y);
    const raw = reader.take("label value", /(?:[^"\\]|\\.)*/sy);
    labels.set(name, unescape(raw, { known: ALL_ESCAPES, quotes: false }));
    reader.take('"', /"/y);
  } while (reader.maybe(/,/y) !== undefined);
  reader.take("}", /\}/y);
  return Object.fromEntries(labels);
}

function readNumber(reader: Reader): number {
  const special = reader.maybe(SPECIAL_NUMBER)?.toLowerCase();
  if (special === undefined) return Number(reader.take("number", REAL_NUMBER));
  if (special === "nan") return Number.NaN;
  return special.startsWith("-") ? -Infinity : Infinity;
}

/** Seconds in OpenMetrics, whole milliseconds in the text format. */
function readTimestamp(reader: Reader, dialect: Dialect): number {
  return dialect === "openmetrics"
    ? Number(reader.take("timestamp", REAL_NUMBER)) * 1000
    : Number(reader.take("timestamp", /-?\d+/y));
}

function readExemplar(reader: Reader): SampleLine["exemplar"] {
  if (reader.maybe(/ # /y) === undefined) return undefined;
  const labels = readLabels(reader);
  const characters = Array.from(Object.entries(labels).flat().join("")).length;
  if (characters > EXEMPLAR_CHARACTERS) {
    throw new SyntaxProblem(
      `exemplar labels of ${characters} characters, want at most ${EXEMPLAR_CHARACTERS}`,
    );
  }
  reader.take("space", / /y);
  const value = readNumber(reader);
  if (reader.maybe(/ /y) !== undefined) readTimestamp(reader, "openmetrics");
  return { labels, value };
}

function unescape(
  raw: string,
  { known, quotes }: { readonly known: ReadonlyMap<string, string>; readonly quotes: boolean },
): string {
  if (!quotes && /(?<!\\)(?:\\\\)*"/.test(raw)) throw new SyntaxProblem('unescaped "');
  return raw.replace(/\\(.?)/gsu, (sequence, character: string) => {
    const meaning = known.get(character);
    if (meaning === undefined) throw new SyntaxProblem(`escape "${sequence}"`);
    return meaning;
  });
}

function whole(text: string, pattern: RegExp, what: string): string {
  const reader = new Reader(text);
  const found = reader.take(what, pattern);
  reader.end();
  return found;
}

/** Parses a line from left to right with sticky patterns. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  maybe(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  take(what: string, pattern: RegExp): string {
    const found = this.maybe(pattern);
    if (found === undefined)
      throw new SyntaxProblem(`want ${what} at column ${this.#at + 1}: ${this.#rest()}`);
    return found;
  }

  end(): void {
    if (this.#at < this.#text.length)
      throw new SyntaxProblem(`unexpected at column ${this.#at + 1}: ${this.#rest()}`);
  }

  #rest(): string {
    return JSON.stringify(this.#text.slice(this.#at, this.#at + 40));
  }
}
