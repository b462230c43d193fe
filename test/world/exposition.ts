/** A scrape as an independent reader sees it. */
export interface Exposition {
  /** The samples of a family, in the order of the text. */
  samples(family: string): readonly Sample[];
  /** The value of the only sample with these labels; undefined: there is none. @throws Error if there are two. */
  value(family: string, labels?: Readonly<Record<string, string>>): number | undefined;
  /** Every value of a label, over all families. */
  valuesOf(label: string): ReadonlySet<string>;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The value as written, because a decimal has more digits than a number. */
  readonly text: string;
}

/**
 * Reads the text format quickly: one sample a line, and only the families that are asked for. The strict reader of
 * `test/support` checks the same text less often.
 */
export function readExposition(exposition: string): Exposition {
  const parts = partsOf(exposition);
  const samples = (family: string) => samplesOf(parts.get(family));
  return {
    samples,
    value: (family, labels = {}) => {
      const wanted = Object.entries(labels);
      const found = samples(family).filter((sample) =>
        wanted.every(([name, text]) => sample.labels[name] === text),
      );
      if (found.length > 1) throw new Error(`${found.length} samples of ${family}${JSON.stringify(labels)}`);
      return found[0]?.value;
    },
    valuesOf: (label) => {
      const pairs = exposition.matchAll(new RegExp(`[{,]${label}="((?:[^"\\\\]|\\\\.)*)"`, "g"));
      return new Set([...pairs].map(([, value = ""]) => unescaped(value)));
    },
  };
}

/** The lines of each family, without its comments. */
function partsOf(exposition: string): ReadonlyMap<string, string> {
  const text = `\n${exposition}`;
  const parts = new Map<string, string>();
  for (let start = text.indexOf(TYPE); start >= 0;) {
    const end = text.indexOf("\n", start + 1);
    const next = text.indexOf(TYPE, end);
    const [name = ""] = text.slice(start + TYPE.length, end).split(" ", 1);
    parts.set(name, text.slice(end, next < 0 ? undefined : next));
    start = next;
  }
  return parts;
}

const TYPE = "\n# TYPE ";

/** Most families are the same in the next scrape. */
const readParts = new Map<string, readonly Sample[]>();

function samplesOf(part = ""): readonly Sample[] {
  const read = readParts.get(part);
  if (read) return read;
  const lines = part.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const samples = lines.map((line) => {
    const end = line.lastIndexOf(" ");
    const text = line.slice(end + 1);
    return { labels: readLabels(line.slice(0, end)), value: Number(text), text };
  });
  if (readParts.size > 1000) readParts.clear();
  readParts.set(part, samples);
  return samples;
}

const SERIES = /^[a-zA-Z_:][\w:]*(?:\{(.*)\})?$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)",?/gy;

function readLabels(series: string): Readonly<Record<string, string>> {
  const [match, pairs = ""] = SERIES.exec(series) ?? [];
  if (match === undefined) throw new Error(`Cannot read the series ${JSON.stringify(series)}`);
  return Object.fromEntries(
    [...pairs.matchAll(LABEL)].map(([, label = "", value = ""]) => [label, unescaped(value)]),
  );
}

function unescaped(text: string): string {
  return text.includes("\\")
    ? text.replaceAll(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char))
    : text;
}
