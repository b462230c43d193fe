import type { KeyBook } from "../gateway/key-book.ts";
import type { Key } from "../gateway/entities.ts";
import { DAY, dayStart, MONDAY, monthStart, type Reset, weekStart } from "../gateway/windows.ts";

/** The window of a figure, which ends with it. */
export type FigureWindow = "none" | "day" | "week" | "month" | "limit";

interface Figure {
  /** Without its prefix `aigateway_key_`. */
  readonly metric: string;
  readonly window: FigureWindow;
  of(book: KeyBook, key: Key): number | null;
}

/** The figures of a key as the exporter names them, from the books. */
export const FIGURES: readonly Figure[] = [
  { metric: "usage_credits", window: "none", of: ({ credits }) => credits.usage.total },
  { metric: "usage_day_credits", window: "day", of: ({ credits }) => credits.usage.day },
  { metric: "usage_week_credits", window: "week", of: ({ credits }) => credits.usage.week },
  { metric: "usage_month_credits", window: "month", of: ({ credits }) => credits.usage.month },
  { metric: "byok_usage_credits", window: "none", of: ({ credits }) => credits.byok.total },
  { metric: "byok_usage_day_credits", window: "day", of: ({ credits }) => credits.byok.day },
  { metric: "byok_usage_week_credits", window: "week", of: ({ credits }) => credits.byok.week },
  { metric: "byok_usage_month_credits", window: "month", of: ({ credits }) => credits.byok.month },
  { metric: "limit_credits", window: "none", of: ({ credits }) => credits.limit },
  { metric: "limit_remaining_credits", window: "limit", of: ({ credits }) => credits.remaining },
  { metric: "unlimited", window: "none", of: ({ credits }) => Number(credits.limit === null) },
  { metric: "limit_next_reset_timestamp_seconds", window: "limit", of: ({ window }) => seconds(window.end) },
  {
    metric: "limit_window_start_timestamp_seconds",
    window: "limit",
    of: ({ window }) => (window.end === null ? null : seconds(window.start)),
  },
  { metric: "byok_in_limit", window: "none", of: (_book, key) => Number(key.includeByokInLimit) },
  { metric: "free_tier", window: "none", of: (_book, key) => Number(key.freeTier) },
];

export function figuresOf(book: KeyBook, key: Key): (number | null)[] {
  return FIGURES.map((figure) => figure.of(book, key));
}

/** When the window of the instant began; a figure without a window has no beginning. */
export function windowStart(window: FigureWindow, reset: Reset | null, at: number): number {
  const kind = window === "limit" ? RESET_WINDOWS[reset ?? "never"] : window;
  switch (kind) {
    case "none":
      return Number.NEGATIVE_INFINITY;
    case "day":
      return dayStart(at);
    case "week":
      return weekStart(at, MONDAY);
    case "month":
      return monthStart(at);
  }
}

export { DAY, dayStart };

const RESET_WINDOWS = { daily: "day", weekly: "week", monthly: "month", never: "none" } as const;

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
