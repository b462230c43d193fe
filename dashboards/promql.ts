/** A metric family or a recorded series: a name in Prometheus and its own labels. */
export interface Series<Label extends string = string> {
  readonly name: string;
  readonly labels: readonly Label[];
}

/** The buckets of a histogram, for `histogram_quantile`. */
export function bucketsOf<Label extends string>({ name, labels }: Series<Label>): Series<Label | "le"> {
  return { name: `${name}_bucket`, labels: [...labels, "le"] };
}

/**
 * The labels that Prometheus adds to every scraped series. `gateway` is empty unless the scrape configuration
 * sets it.
 */
export type TargetLabel = "job" | "gateway" | "instance";

type Part = Series | string | number;

/**
 * A PromQL expression that refers to families by value: `promql\`max by (job, gateway, key)
 * (${keyFamilies.limit}[5m])\``. Removes the indentation that all lines share.
 */
export function promql(texts: TemplateStringsArray, ...parts: readonly Part[]): string {
  const text = texts.map((before, index) => `${before}${partText(parts[index])}`).join("");
  return dedent(text);
}

/**
 * A selector: `select(keyFamilies.limitReset, { aigateway_key_limit_reset: "never" })`. A value that begins
 * with `~` is a pattern that the label must match; with `!~`, a pattern that it must not match.
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
