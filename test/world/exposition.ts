/** A scrape as an independent reader sees it. */
export interface Exposition {
  /** The samples of a family, in the order of the text. */
  samples(family: string): readonly Sample[];
  /** The value of the only sample with these labels; undefined: there is none. @throws Error if there are two. */
  value(family: string, labels?: Readonly<Record<string, string>>): number | undefined;
  families(): Iterable<string>;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The value as written, because a decimal has more digits than a number. */
  readonly text: string;
}

/**
 * Reads the text format quickly: one sample a line. The strict reader of `test/support` checks the same text less
 * often.
 */
export function readExposition(body: string): Exposition {
  const families = new Map<string, Sample[]>();
  for (const line of body.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, name = "", labels = "", value = ""] = LINE.exec(line) ?? [];
    if (name === "") throw new Error(`Cannot read the line ${JSON.stringify(line)}`);
    const samples = families.get(name) ?? [];
    families.set(name, samples);
    samples.push({ labels: readLabels(labels), value: Number(value), text: value });
  }

  const samples = (family: string) => families.get(family) ?? [];
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
    families: () => families.keys(),
  };
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)",?/gy;

/** Every scrape repeats the labels of the last one. */
const known = new Map<string, Readonly<Record<string, string>>>();

function readLabels(text: string): Readonly<Record<string, string>> {
  const read = known.get(text);
  if (read) return read;
  const labels: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(LABEL)) labels[name] = unescaped(value);
  if (known.size > 50_000) known.clear();
  known.set(text, labels);
  return labels;
}

function unescaped(text: string): string {
  return text.includes("\\")
    ? text.replaceAll(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char))
    : text;
}
