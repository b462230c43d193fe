/** The series of a scrape, sorted by their subject. */
export interface Scrape {
  /** When the scrape began, and when its last byte arrived. */
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The series of each key without other labels, by the name after `aigateway_key_`. */
  readonly keys: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** The series of each budget, by the name after `aigateway_budget_`. */
  readonly budgets: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Sum over models and apps by family. */
  readonly usage: ReadonlyMap<string, number>;
  /** All other series, as written. */
  readonly others: ReadonlyMap<string, number>;
}

/** Reads an exposition of many megabytes quickly. Other checks decide whether it is valid. */
export function readScrape(text: string, sentMs: number, receivedMs: number): Scrape {
  const keys = new Map<string, Map<string, number>>();
  const budgets = new Map<string, Map<string, number>>();
  const usage = new Map<string, number>();
  const others = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const space = line.lastIndexOf(" ");
    const [series, value] = [line.slice(0, space), Number(line.slice(space + 1))];
    if (series.startsWith(KEY)) put(keys, series, KEY, value);
    else if (series.startsWith(BUDGET)) put(budgets, series, BUDGET, value);
    else if (series.startsWith(USAGE)) {
      const family = series.slice(0, series.indexOf("{"));
      usage.set(family, (usage.get(family) ?? 0) + value);
    } else others.set(series, value);
  }
  return { sentMs, receivedMs, keys, budgets, usage, others };
}

const KEY = "aigateway_key_";
const BUDGET = "aigateway_budget_";
const USAGE = "aigateway_usage_";

function put(all: Map<string, Map<string, number>>, series: string, prefix: string, value: number): void {
  const open = series.indexOf("{");
  const metric = series.slice(prefix.length, open);
  const labels = series.slice(open + 1, -1);
  // Names of keys and budgets contain no quotes.
  const name = /(?:^|,)(?:key|budget)="([^"]*)"/.exec(labels)?.[1] ?? "";
  const state = /_key_limit_reset="(\w+)"/.exec(labels)?.[1];
  let about = all.get(name);
  if (!about) all.set(name, (about = new Map()));
  about.set(state === undefined ? metric : `${metric} ${state}`, value);
}
