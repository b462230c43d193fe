import { causeNamed } from "../../../../exporter/gateway/causes.ts";
import type { Forecast } from "../../../../exporter/forecast/forecaster.ts";
import type { BudgetGaps } from "../../../../exporter/budgets/budget-status.ts";
import { dangerOf } from "../../../../exporter/status/danger.ts";
import { targetId } from "../../../../exporter/readings/target-id.ts";
import type { AccountOverview } from "../../../../exporter/status/account-overview.ts";
import type { BudgetRow, Overview } from "../../../../exporter/status/overview.ts";
import type { KeyNames } from "../../../../exporter/status/key-names.ts";
import type { History } from "../../../../exporter/status/history.ts";
import { renderPage } from "../../../../exporter/status/page/page.ts";
import type { ProbeRow } from "../../../../exporter/status/probes-overview.ts";
import type { KeyRow, QueryRow } from "../../../../exporter/status/target-rows.ts";
import { windowAt } from "../../../../exporter/time/window.ts";
import { type View, WHOLE } from "../../../../exporter/status/view.ts";

export const NOW = Date.parse("2026-11-21T13:40:39Z");
export const DAY = 86_400_000;

/** The page of an exporter with only the given data. */
export function pageOf(
  overview: Partial<Overview>,
  telemetryPath = "/metrics",
  view: Partial<View> = {},
): string {
  return renderPage(overviewOf(overview), telemetryPath, { ...WHOLE, ...view }).text;
}

/** An exporter with only the given data. */
export function overviewOf(overview: Partial<Overview>): Overview {
  const about = {
    version: "1.2.3",
    nowMs: NOW,
    startedMs: NOW - DAY,
    gateway: "https://gateway.example/api/v1",
  };
  const keyNamed = (wanted: string) => overview.keys?.find(({ name }) => name === wanted);
  const configuredKeys = overview.keys?.filter(({ isListed }) => isListed !== true).length ?? 0;
  const nothing = {
    configuredKeys,
    creditValue: undefined,
    keys: [],
    keyNamed,
    keyNames: namesOf(overview.history),
    queries: [],
    budgetQueries: [],
    budgets: [],
  };
  return { ...about, ...nothing, ...overview };
}

/** At the gateway, keys have their own names if the history has them. */
function namesOf(history: History | undefined): KeyNames {
  const isKnown = (name: string) => history?.of("key", "day")?.names.has(name) === true;
  return {
    of: ({ name }) => ({ label: isKnown(name) ? name : undefined, isShared: false }),
    keyOf: (label) => (isKnown(label) ? key(label) : undefined),
  };
}

/** A key that is up, with every value known. */
export function key(name: string, more: Partial<KeyRow> = {}): KeyRow {
  const row: KeyRow = {
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
  return { ...row, danger: dangerOf(row, NOW) };
}

/** A forecast of a key, of which little is known. */
export function forecast(more: Partial<Forecast>): Forecast {
  const unknown = { exhaustionMs: undefined, basis: undefined, leftAtReset: undefined };
  return { outlook: "lasts", burn: {}, usualBurn: {}, asOfMs: NOW - 12_000, ...unknown, ...more };
}

/** A history of names with their credits of the last two days (or hours), of which each other one lacks nothing. */
export function historyOf(names: Readonly<Record<string, readonly number[]>>, isLeast = false): History {
  return {
    targets: () => [],
    of: (subject, granularity) => ({
      kind: "history",
      startMs:
        granularity === "day" ? Date.parse("2026-11-20T00:00:00Z") : Date.parse("2026-11-21T00:00:00Z"),
      count: 2,
      dataMs: NOW - 60_000,
      names: new Map(subject === "total" ? [["_none", [10, 20]]] : Object.entries(names)),
      isLeast: isLeast && subject !== "total",
    }),
  };
}

/** What refuses a key. */
export const DOWN = {
  state: "down",
  failure: { reason: "unauthorized", message: "Cannot read: gateway answered 401" },
} as const;
/** The same with its cause, and so with advice. */
export const UNKNOWN_KEY = {
  ...DOWN,
  failure: { ...DOWN.failure, cause: causeNamed("key_unknown") },
} as const;

const UP = { state: "up", failure: undefined, lastSuccessMs: NOW - 2000 } as const;

/** An account without lists of keys. */
export const ACCOUNT: AccountOverview = {
  balance: { name: "credits", ...UP, bought: 50, used: 30, balance: 20 },
  capabilities: { name: "capabilities", ...UP },
  listings: [],
  queries: [],
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
    period: { kind: "month" },
    window: windowAt("month", NOW),
    limit: 500,
    isBought: false,
    spent: 120.5,
    complete: true,
    gaps: undefined,
    isUnmatched: false,
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
  "html head meta link title style body header nav a main section div dl dt dd footer h1 h2 p ul li table caption " +
  "form label input option select button thead tbody tr th td small span strong b i bdi br code time svg path desc g rect"
).split(" ");
const TAG = /<(\/?)([a-z]\w*)([^<>]*)>/gi;
const ATTRIBUTE = /\s(?:[a-zA-Z-]+)="[^"<>]*"/g;
