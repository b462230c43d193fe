import type {
  BudgetGap,
  BudgetRow,
  KeyRow,
  Overview,
  ProbeRow,
  QueryRow,
} from "../../../../exporter/status/overview.ts";
import { renderPage } from "../../../../exporter/status/page/page.ts";

export const NOW = Date.parse("2026-11-21T13:40:39Z");
export const DAY = 86_400_000;

/** The page of an exporter that knows nothing but what is given. */
export function pageOf(overview: Partial<Overview>, telemetryPath = "/metrics"): string {
  const about = {
    version: "1.2.3",
    nowMs: NOW,
    startedMs: NOW - DAY,
    gateway: "https://gateway.example/api/v1",
  };
  return renderPage(
    { ...about, creditValue: undefined, keys: [], queries: [], budgetQueries: [], budgets: [], ...overview },
    telemetryPath,
  );
}

/** A key that is up, with everything known of it. */
export function key(name: string, more: Partial<KeyRow> = {}): KeyRow {
  return {
    name,
    state: "up",
    failure: undefined,
    lastSuccessMs: NOW - 12_000,
    owner: { team: "", project: "", costCenter: "" },
    limit: 100,
    remaining: 40,
    reset: "monthly",
    nextResetMs: NOW + 9 * DAY + 10 * 3_600_000,
    day: 1.5,
    week: 10,
    month: 60,
    total: 1234.5,
    expiryMs: undefined,
    ...more,
  };
}

/** A query that is up, over a window without spend. */
export function query(name: string, more: Partial<QueryRow> = {}): QueryRow {
  return {
    name,
    state: "up",
    failure: undefined,
    lastSuccessMs: NOW - 5000,
    windowStartMs: Date.parse("2026-11-01T00:00:00Z"),
    dataMs: NOW - 60_000,
    credits: undefined,
    requests: undefined,
    pairs: [],
    foldedPairs: 0,
    truncated: false,
    ...more,
  };
}

/** A budget over one key of which all is known. */
export function budget(name: string, more: Partial<BudgetRow> = {}): BudgetRow {
  return {
    name,
    team: "",
    scope: { kind: "keys", names: ["billing"] },
    window: "month",
    windowStartMs: Date.parse("2026-11-01T00:00:00Z"),
    windowEndMs: Date.parse("2026-12-01T00:00:00Z"),
    limit: 500,
    spent: 120.5,
    gap: undefined,
    ...more,
  };
}

/** A probe that has succeeded a minute ago. */
export function probe(name: string, more: Partial<ProbeRow> = {}): ProbeRow {
  return {
    name,
    model: "acme/ear",
    key: "ears",
    state: "up",
    failure: undefined,
    lastSuccessMs: NOW - 60_000,
    lastRunMs: NOW - 60_000,
    skip: undefined,
    wordErrorRate: 0,
    wordErrorLimit: 0.2,
    durationSeconds: 1.234,
    speedFactor: 3.32,
    cost: 0.0004,
    ...more,
  };
}

/** Why something of a budget is missing. */
export function gap(faults: Partial<BudgetGap["faults"]>, more: Partial<BudgetGap> = {}): BudgetGap {
  return {
    sources: 3,
    faults: { failing: 0, waiting: 0, early: 0, old: 0, ...faults },
    reason: undefined,
    ...more,
  };
}

/** What a reader sees: no tags, no style, entities as characters. */
export function textOf(page: string): string {
  const text = page
    .replaceAll(/<(style|head)>[\s\S]*?<\/\1>/g, "")
    .replaceAll(/<\/?(?:bdi|time|code|i|b)(?: [^>]*)?>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  return text.replaceAll(/\s+/g, " ").trim();
}

/** The cells of each row of the page's tables. */
export function rows(page: string): string[][] {
  return [...page.matchAll(/<tr[ >][\s\S]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<(t[hd])[ >][\s\S]*?<\/\1>/g)].map(([cell]) => textOf(cell)),
  );
}
