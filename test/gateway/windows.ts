export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const resets = ["daily", "weekly", "monthly"] as const;
export type Reset = (typeof resets)[number];

/** Half-open, in UTC; a null end means that the window never ends. */
export type Window = { readonly start: number; readonly end: number | null };

/** The window of a limit that contains this time. A limit that never resets counts from the beginning (2.7). */
export function windowOf(reset: Reset | null, at: number): Window {
  switch (reset) {
    case "daily":
      return { start: dayStart(at), end: dayStart(at) + DAY };
    case "weekly":
      return { start: weekStart(at, MONDAY), end: weekStart(at, MONDAY) + 7 * DAY };
    case "monthly":
      return { start: monthStart(at), end: monthStart(at, 1) };
    case null:
      return { start: Number.NEGATIVE_INFINITY, end: null };
  }
}

export function dayNumber(at: number): number {
  return Math.floor(at / DAY);
}

export function dayStart(at: number): number {
  return dayNumber(at) * DAY;
}

export const MONDAY = 1;
export const SUNDAY = 0;

export function weekStart(at: number, firstWeekday: number): number {
  // 1970-01-01 was a Thursday, weekday 4.
  const weekday = (((dayNumber(at) + 4 - firstWeekday) % 7) + 7) % 7;
  return dayStart(at) - weekday * DAY;
}

export function monthStart(at: number, monthsLater = 0): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater, 1);
}
