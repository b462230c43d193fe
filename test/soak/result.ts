import { Problems, type Reading } from "./measurements.ts";

/** The observations of a soak. */
export interface SoakResult {
  readonly keys: number;
  readonly intervalMs: number;
  readonly startedMs: number;
  endedMs: number;
  readonly warmUpMs: number;
  /** The phases of the gateway that began. */
  readonly phases: string[];
  readonly readings: Reading[];
  /** Seconds, from the exporter's own metric. */
  readonly delays: { readonly p99: number; readonly max: number }[];
  readonly scrapes: Map<string, { readonly ms: number[]; bytes: number }>;
  readonly crashes: Problems;
  readonly wrongValues: Problems;
  readonly missingValues: Problems;
  readonly failedScrapes: Problems;
  readonly invalidExpositions: Problems;
  readonly unexpectedLines: Problems;
  logLines: ReadonlyMap<string, number>;
  reloads: number;
  /** Scrapes whose values were all looked up in the books, and the number of keys in them. */
  checkedScrapes: number;
  checkedKeys: number;
  /** The effective intervals of keys after recoveries. */
  readonly calmIntervalsMs: number[];
  /** Scrapes that had to show all keys. */
  completeScrapes: number;
  /** The other series of the last scrape: everything except keys, budgets and usage. */
  own: ReadonlyMap<string, number>;
}

export function newResult(keys: number, intervalMs: number, warmUpMs: number): SoakResult {
  return {
    keys,
    intervalMs,
    warmUpMs,
    startedMs: Date.now(),
    endedMs: Date.now(),
    phases: [],
    readings: [],
    delays: [],
    scrapes: new Map(),
    crashes: new Problems(),
    wrongValues: new Problems(),
    missingValues: new Problems(),
    failedScrapes: new Problems(),
    invalidExpositions: new Problems(),
    unexpectedLines: new Problems(),
    logLines: new Map(),
    reloads: 0,
    checkedScrapes: 0,
    checkedKeys: 0,
    calmIntervalsMs: [],
    completeScrapes: 0,
    own: new Map(),
  };
}
