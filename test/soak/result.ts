import { Problems, type Reading } from "./measurements.ts";

/** What a soak has seen. */
export interface SoakResult {
  readonly keys: number;
  readonly intervalMs: number;
  readonly startedMs: number;
  endedMs: number;
  readonly warmUpMs: number;
  /** Phases of the gateway that were begun. */
  readonly phases: string[];
  readonly readings: Reading[];
  /** Seconds, as the exporter says. */
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
  /** Scrapes whose every value was looked up in the books, and how many keys they showed in all. */
  checkedScrapes: number;
  checkedKeys: number;
  /** Scrapes after which all keys had to be there. */
  completeScrapes: number;
  /** Of the last scrape: everything but keys, budgets and usage, by its series. */
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
    completeScrapes: 0,
    own: new Map(),
  };
}
