/** The calendar of the gateway, written from the contract alone. All times are epoch milliseconds, UTC. */
export const DAY_MS = 86_400_000;

export type WindowName = "day" | "week" | "month";

export function windowStart(window: WindowName, atMs: number): number {
  const day = Math.floor(atMs / DAY_MS);
  switch (window) {
    case "day":
      return day * DAY_MS;
    case "week":
      // 1970-01-01 was a Thursday, and weeks begin on Monday.
      return (day - ((day + 3) % 7)) * DAY_MS;
    case "month": {
      const at = new Date(atMs);
      return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1);
    }
  }
}

/** The start of the window before the running one. */
export function formerStart(window: WindowName, atMs: number): number {
  return windowStart(window, windowStart(window, atMs) - 1);
}

export function windowEnd(window: WindowName, atMs: number): number {
  const start = windowStart(window, atMs);
  if (window !== "month") return start + (window === "day" ? 1 : 7) * DAY_MS;
  const at = new Date(start);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}
