/** The names in an expression: enough of PromQL to check names and labels without a parser. */
export interface Names {
  /** Metrics and recorded series, with the labels in their selectors. */
  readonly selectors: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** Labels of by, on, group_left, …. */
  readonly grouping: readonly string[];
  /** Ranges and offsets as written. */
  readonly durations: readonly string[];
}

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const WORDS = new Set(["and", "or", "unless", "offset", "bool", "Inf", "NaN", "inf", "nan"]);

export function namesIn(expression: string): Names {
  const text = expression.replaceAll(/#.*$/gm, "").replaceAll(/"[^"]*"/g, '""');
  const grouping = [...text.matchAll(GROUPING)].flatMap(([, labels = ""]) => words(labels));
  const durations = [...text.matchAll(/\[([^\]]*)\]|offset (\w+)/g)].flatMap(([, range, offset]) =>
    (range ?? offset ?? "").split(":").filter((part) => part !== ""),
  );
  const rest = text.replaceAll(GROUPING, " ").replaceAll(/\[[^\]]*\]|offset \w+/g, " ");
  const selectors: { name: string; labels: string[] }[] = [];
  for (const [, name = "", braces, call] of rest.matchAll(
    /(?<![\w.:"~|])([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\}|(\())?/g,
  )) {
    if (WORDS.has(name) || call !== undefined) continue;
    selectors.push({
      name,
      labels: [...(braces ?? "").matchAll(/(\w+)\s*[=!]/g)].map(([, label = ""]) => label),
    });
  }
  return { selectors: withoutValues(selectors), grouping, durations };
}

const SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1, ms: 0.001 };

/** Converts a duration such as `1h30m` to seconds; NaN if it is not a duration. */
export function secondsOf(duration: string): number {
  if (!/^(?:\d+(?:ms|[dhms]))+$/.test(duration)) return NaN;
  return [...duration.matchAll(/(\d+)(ms|[dhms])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (SECONDS[unit] ?? NaN),
    0,
  );
}

function words(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** Matches calls. Aggregations look like calls here, because their grouping has been removed: `sum (`. */
function withoutValues(selectors: readonly { name: string; labels: string[] }[]) {
  return selectors.filter(({ name }) => !/^(?:\d|e\d)/.test(name));
}
