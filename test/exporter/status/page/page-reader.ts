import type { BudgetGaps } from "../../../../exporter/budgets/budget-status.ts";
import type { BudgetRow, Overview } from "../../../../exporter/status/overview.ts";
import { renderPage } from "../../../../exporter/status/page/page.ts";
import type { ProbeRow } from "../../../../exporter/status/probes-overview.ts";
import type { KeyRow, QueryRow } from "../../../../exporter/status/target-rows.ts";

export const NOW = Date.parse("2026-11-21T13:40:39Z");
export const DAY = 86_400_000;

/** The page of an exporter with only the given data. */
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
  ).toString();
}

/** A key that is up, with every value known. */
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
    exceedsTotal: false,
    ...more,
  };
}

/** A budget over one key, with complete spend. */
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
    gaps: undefined,
    isUnseen: false,
    ...more,
  };
}

/** A probe that succeeded a minute ago. */
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

/** The gaps of a budget over three keys. */
export function gaps(counts: Partial<BudgetGaps["counts"]>, more: Partial<BudgetGaps> = {}): BudgetGaps {
  return {
    sources: 3,
    counts: { failing: 0, waiting: 0, early: 0, old: 0, partial: 0, ...counts },
    reason: undefined,
    partial: undefined,
    ...more,
  };
}

/** The visible text: without tags and styles, entities decoded. */
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
