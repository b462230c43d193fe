/** A vector selector of an expression. */
export interface Selector {
  readonly name: string;
  readonly matchers: readonly Matcher[];
  /** The text in the brackets that follow the selector. */
  readonly range: string | undefined;
  /** The function or aggregation that encloses the selector; empty if none does. */
  readonly call: string;
}

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface Scan {
  readonly selectors: readonly Selector[];
  /** Labels outside selectors: `by (…)`, `on (…)`, `group_left (…)`. */
  readonly labels: readonly string[];
  /** Labels that `label_replace` and `label_join` create. */
  readonly made: readonly string[];
}

const TOKEN =
  /\s+|#[^\n]*|"(?:[^"\\]|\\.)*"|\$__?\w+|[A-Za-z_:][\w:]*|\d+(?:\.\d+)?(?:ms|[smhdwy]|e\d+)*(?:\d+[smhdwy])*|=~|!~|!=|>=|<=|==|./gs;

const LABEL_LISTS = new Set(["by", "without", "on", "ignoring", "group_left", "group_right"]);
const WORDS = new Set([...LABEL_LISTS, "and", "or", "unless", "bool", "offset", "Inf", "NaN", "atan2"]);

/**
 * Finds the selectors and labels of an expression. Another test checks the syntax with promtool, so this function only has to
 * distinguish metrics from functions, keywords and labels.
 */
export function scan(expr: string): Scan {
  const tokens = (expr.match(TOKEN) ?? []).filter((token) => !/^(?:\s|#)/.test(token));
  const selectors: Selector[] = [];
  const labels: string[] = [];
  const calls: string[] = [];
  let index = 0;
  const next = (): string => tokens[index] ?? "";

  function list(): readonly string[] {
    const end = tokens.indexOf(")", index);
    const inside = tokens.slice(index + 1, end).filter((token) => token !== ",");
    index = end + 1;
    return inside;
  }

  function selector(name: string): Selector {
    const matchers = next() === "{" ? matchersOf(between("{", "}")) : [];
    const range = next() === "[" ? between("[", "]").join("") : undefined;
    return { name, matchers, range, call: calls.at(-1) ?? "" };
  }

  function between(open: string, close: string): readonly string[] {
    const end = tokens.indexOf(close, index);
    const inside = tokens.slice(index + open.length, end);
    index = end + 1;
    return inside;
  }

  while (index < tokens.length) {
    const token = next();
    index += 1;
    if (token === "(") calls.push("");
    else if (token === ")") calls.pop();
    else if (LABEL_LISTS.has(token) && next() === "(") labels.push(...list());
    else if (!/^[A-Za-z_:]/.test(token) || WORDS.has(token)) continue;
    else if (next() === "(" || LABEL_LISTS.has(next())) {
      if (LABEL_LISTS.has(next())) {
        index += 1;
        labels.push(...list());
      }
      calls.push(token);
      index += 1;
    } else selectors.push(selector(token));
  }
  const made = [...expr.matchAll(/label_(?:replace|join)\(.*?,\s*"(\w+)",/gs)].map(([, label = ""]) => label);
  return { selectors, labels, made };
}

function matchersOf(tokens: readonly string[]): readonly Matcher[] {
  const parts = tokens.filter((token) => token !== ",");
  return Array.from({ length: Math.floor(parts.length / 3) }, (_, index) => {
    const [label = "", operator = "", value = ""] = parts.slice(3 * index, 3 * index + 3);
    return { label, operator, value: value.slice(1, -1) };
  });
}
