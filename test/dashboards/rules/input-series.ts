/** The sample of a minute; null for no sample. */
export type Value = number | null;

/** The samples of a series, by minute. */
export type Course = (minute: number) => Value;

/** A series in the format of `promtool test rules`. */
export interface InputSeries {
  readonly series: string;
  readonly values: string;
}

/** Formats a series in promtool's notation. A staleness marker begins each gap. */
export function seriesOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  values: readonly Value[],
): InputSeries {
  const matchers = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return { series: `${name}{${matchers.join(",")}}`, values: notation(values) };
}

function notation(values: readonly Value[]): string {
  const texts = values.map((value, index) => {
    if (value !== null && !Number.isNaN(value)) return String(value);
    const before = values[index - 1] ?? null;
    return before === null || Number.isNaN(before) ? "_" : "stale";
  });
  const runs: { text: string; count: number }[] = [];
  for (const text of texts) {
    const last = runs.at(-1);
    if (last?.text === text) last.count += 1;
    else runs.push({ text, count: 1 });
  }
  return runs.map(run).join(" ");
}

function run({ text, count }: { text: string; count: number }): string {
  if (count === 1) return text;
  return text === "_" ? `_x${count}` : `${text}x${count - 1}`;
}
