import type { BudgetGaps } from "../../../../exporter/budgets/budget-status.ts";
import { targetId } from "../../../../exporter/readings/target-id.ts";
import type { BudgetRow, Overview } from "../../../../exporter/status/overview.ts";
import type { KeyHistory } from "../../../../exporter/status/key-history.ts";
import { renderPage } from "../../../../exporter/status/page/page.ts";
import type { ProbeRow } from "../../../../exporter/status/probes-overview.ts";
import type { KeyRow, QueryRow } from "../../../../exporter/status/target-rows.ts";
import { type View, WHOLE } from "../../../../exporter/status/view.ts";

export const NOW = Date.parse("2026-11-21T13:40:39Z");
export const DAY = 86_400_000;

/** The page of an exporter with only the given data. */
export function pageOf(
  overview: Partial<Overview>,
  telemetryPath = "/metrics",
  view: Partial<View> = {},
): string {
  return renderPage(overviewOf(overview), telemetryPath, { ...WHOLE, ...view }).toString();
}

/** An exporter with only the given data. */
export function overviewOf(overview: Partial<Overview>): Overview {
  const about = {
    version: "1.2.3",
    nowMs: NOW,
    startedMs: NOW - DAY,
    gateway: "https://gateway.example/api/v1",
  };
  const nothing = { creditValue: undefined, keys: [], queries: [], budgetQueries: [], budgets: [] };
  return { ...about, ...nothing, ...overview };
}

/** A key that is up, with every value known. */
export function key(name: string, more: Partial<KeyRow> = {}): KeyRow {
  return {
    id: targetId("key", name),
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

/** A history in which every key spent 1 credit and had 60 left, two hours and an hour ago. */
export const HISTORY: KeyHistory = {
  sinceMs: NOW - 7_200_000,
  of: () => [2, 1].map((hours) => ({ atMs: NOW - hours * 3_600_000, day: 1, left: 60 })),
  start: () => {},
  stop: () => {},
};

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

/** The items of the list of problems that need attention. */
export function listed(overview: Partial<Overview>): readonly string[] {
  return [...pageOf(overview).matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, text = ""]) => textOf(text));
}

/** The cells of each row of the page's tables. */
export function rows(page: string): string[][] {
  return [...page.matchAll(/<tr[ >][\s\S]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<(t[hd])[ >][\s\S]*?<\/\1>/g)].map(([cell]) => textOf(cell)),
  );
}

/** The parts that are not well-formed: unknown elements, unquoted attributes, end tags without a start, stray brackets. */
export function markupFaults(page: string): readonly string[] {
  const faults: string[] = [];
  const open: string[] = [];
  const body = page.replace("<!doctype html>", "").replace(/<style>[^<]*<\/style>/, "");
  for (const [tag, end, name = "", attributes = ""] of body.matchAll(TAG)) {
    if (!ELEMENTS.includes(name)) faults.push(tag);
    if (!/^\s*\/?$/.test(attributes.replaceAll(ATTRIBUTE, ""))) faults.push(tag);
    if (end && open.pop() !== name) faults.push(tag);
    if (!end && !/^(?:meta|link|br|input|path)$/.test(name)) open.push(name);
  }
  return [...faults, ...open, ...(/[<>].*/.exec(body.replaceAll(TAG, "")) ?? [])];
}

const ELEMENTS = (
  "html head meta link title style body header nav a main section div dl dt dd footer h1 h2 h3 p ul li table caption " +
  "form label input datalist option select button thead tbody tr th td article small span strong b i bdi br code time svg path desc"
).split(" ");
const TAG = /<(\/?)([a-z]\w*)([^<>]*)>/gi;
const ATTRIBUTE = /\s(?:[a-zA-Z-]+)="[^"<>]*"/g;
