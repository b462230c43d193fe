/** A span of UTC calendar time, `[startMs, endMs)`, epoch milliseconds. */
export interface Window {
  readonly startMs: number;
  readonly endMs: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** Every UTC day has this length. */
export const DAY_MS = 24 * HOUR_MS;

/** How finely usage can be divided by time, and the length of each part in milliseconds. */
export const BUCKET_MS = { hour: HOUR_MS, day: DAY_MS } as const;
export const GRANULARITIES = ["day", "hour"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export const WINDOW_KINDS = ["day", "week", "month"] as const;
export type WindowKind = (typeof WINDOW_KINDS)[number];

/** The period of a sum: the current calendar window of a kind, or everything since an instant. */
export type Period = { readonly kind: WindowKind } | { readonly kind: "total"; readonly sinceMs: number };

/**
 * Services lag: an answer this soon after a boundary may still belong to the window that has just ended
 * (observed-behaviour 14), so values of the new window are not trusted before.
 */
export const SETTLE_MS = 90_000;

/**
 * The window that contains the instant: a UTC day, week (from Monday) or month (contract 2.7). Each ends at
 * 00:00 UTC.
 */
export function windowAt(kind: WindowKind, atMs: number): Window {
  const known = latest.get(kind);
  if (known && known.startMs <= atMs && atMs < known.endMs) return known;
  const window = computed(kind, atMs);
  latest.set(kind, window);
  return window;
}

/** Cached, because thousands of answers belong to the same windows. */
const latest = new Map<WindowKind, Window>();

function computed(kind: WindowKind, atMs: number): Window {
  const at = new Date(atMs);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  switch (kind) {
    case "day":
      return { startMs: Date.UTC(year, month, day), endMs: Date.UTC(year, month, day + 1) };
    case "week": {
      const monday = day - ((at.getUTCDay() + 6) % 7);
      return { startMs: Date.UTC(year, month, monday), endMs: Date.UTC(year, month, monday + 7) };
    }
    case "month":
      return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) };
  }
}

/** Whether two windows begin and end at the same instants. */
export function isSameWindow(one: Window, other: Window): boolean {
  return one.startMs === other.startMs && one.endMs === other.endMs;
}

/** The window before the one that contains the instant: yesterday, last week, last month. */
export function windowBefore(kind: WindowKind, atMs: number): Window {
  return windowAt(kind, windowAt(kind, atMs).startMs - 1);
}

/** The window of a period that contains the instant; a total has no end. */
export function windowOf(period: Period, atMs: number): Window {
  if (period.kind !== "total") return windowAt(period.kind, atMs);
  return { startMs: period.sinceMs, endMs: Number.POSITIVE_INFINITY };
}

/** The name of a period as a label value: `month`, `since_2026-11-01`, `since_2026-11-01T08:30:00Z`. */
export function periodName(period: Period): string {
  if (period.kind !== "total") return period.kind;
  const since = new Date(period.sinceMs).toISOString();
  return `since_${since.replace(/\.000Z$/, "Z").replace(/T00:00:00Z$/, "")}`;
}

export function contains(window: Window, atMs: number): boolean {
  return window.startMs <= atMs && atMs < window.endMs;
}

/** Whether an answer to a request sent at the instant certainly belongs to the window. */
export function isSettled(window: Window, requestedAtMs: number): boolean {
  return contains(window, requestedAtMs) && requestedAtMs >= window.startMs + SETTLE_MS;
}
