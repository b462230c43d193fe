/** Whatever has a name in Prometheus and labels of its own: a metric family or a recorded series. */
export interface Series<Label extends string = string> {
  readonly name: string;
  readonly labels: readonly Label[];
}

/** The buckets of a histogram, for `histogram_quantile`. */
export function bucketsOf<Label extends string>({ name, labels }: Series<Label>): Series<Label | "le"> {
  return { name: `${name}_bucket`, labels: [...labels, "le"] };
}

/** What Prometheus adds to the labels of every scraped series. */
export type TargetLabel = "job" | "instance";

type Part = Series | string | number;

/**
 * A PromQL text with names instead of strings: `promql\`max by (job, key) (${keyFamilies.limit}[5m])\``. What several lines
 * have in common of their indentation is removed.
 */
export function promql(texts: TemplateStringsArray, ...parts: readonly Part[]): string {
  const text = texts.map((before, index) => `${before}${partText(parts[index])}`).join("");
  return dedent(text);
}

/**
 * A selector: `select(keyFamilies.limitReset, { aigateway_key_limit_reset: "never" })`. A value that begins with `~` or `!~` is a
 * pattern that the label matches, or does not.
 */
export function select<Label extends string>(
  series: Series<Label>,
  values: Readonly<Partial<Record<NoInfer<Label> | TargetLabel, string>>>,
): string {
  const matchers = Object.entries<string | undefined>(values).map(([label, value = ""]) => {
    const [, operator = "", text = ""] = /^(!?~|)(.*)$/s.exec(value) ?? [];
    return `${label}${OPERATORS[operator] ?? "="}"${text}"`;
  });
  return `${series.name}{${matchers.join(",")}}`;
}

const OPERATORS: Readonly<Record<string, string>> = { "": "=", "~": "=~", "!~": "!~" };

function partText(part: Part | undefined): string {
  if (part === undefined) return "";
  return typeof part === "object" ? part.name : String(part);
}

function dedent(text: string): string {
  const lines = text.replace(/^\n/, "").trimEnd().split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const common = Math.min(...indents);
  return lines.map((line) => line.slice(common)).join("\n");
}
