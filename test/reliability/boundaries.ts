import type { SeriesMap } from "../support/series.ts";
import { LIMIT, SPENT } from "./time-stage.ts";

/** A midnight in UTC, and when each limit is reset next, seen from before and from after it. */
export interface Boundary {
  readonly name: string;
  readonly at: string;
  readonly ends: readonly Kind[];
  readonly resets: Readonly<Record<Kind, readonly [before: string, after: string]>>;
}

type Kind = "day" | "week" | "month";

export const BOUNDARIES: readonly Boundary[] = [
  {
    name: "midnight",
    at: "2026-11-19",
    ends: ["day"],
    resets: {
      day: ["2026-11-19", "2026-11-20"],
      week: ["2026-11-23", "2026-11-23"],
      month: ["2026-12-01", "2026-12-01"],
    },
  },
  {
    name: "Monday",
    at: "2026-11-23",
    ends: ["day", "week"],
    resets: {
      day: ["2026-11-23", "2026-11-24"],
      week: ["2026-11-23", "2026-11-30"],
      month: ["2026-12-01", "2026-12-01"],
    },
  },
  {
    name: "the first of a month",
    at: "2026-12-01",
    ends: ["day", "month"],
    resets: {
      day: ["2026-12-01", "2026-12-02"],
      week: ["2026-12-07", "2026-12-07"],
      month: ["2026-12-01", "2027-01-01"],
    },
  },
  {
    name: "the beginning of a leap day",
    at: "2028-02-29",
    ends: ["day"],
    resets: {
      day: ["2028-02-29", "2028-03-01"],
      week: ["2028-03-06", "2028-03-06"],
      month: ["2028-03-01", "2028-03-01"],
    },
  },
  {
    name: "the end of a leap day",
    at: "2028-03-01",
    ends: ["day", "month"],
    resets: {
      day: ["2028-03-01", "2028-03-02"],
      week: ["2028-03-06", "2028-03-06"],
      month: ["2028-03-01", "2028-04-01"],
    },
  },
  {
    name: "the end of a year",
    at: "2027-01-01",
    ends: ["day", "month"],
    resets: {
      day: ["2027-01-01", "2027-01-02"],
      week: ["2027-01-04", "2027-01-04"],
      month: ["2027-01-01", "2027-02-01"],
    },
  },
  {
    name: "a Monday that begins a month",
    at: "2027-02-01",
    ends: ["day", "week", "month"],
    resets: {
      day: ["2027-02-01", "2027-02-02"],
      week: ["2027-02-01", "2027-02-08"],
      month: ["2027-02-01", "2027-03-01"],
    },
  },
];

/** Credits that are spent after the boundary. */
export const SPENT_AFTER = 3;

/**
 * The series of a window that must be shown: before the boundary; right after it, when the new window is still
 * unknown; after an outage longer than the time to live; and after the next good poll.
 */
export type Moment = "before" | "after" | "outage" | "next poll";

/** All other series of a window must not be shown. */
export const WINDOWED =
  /^aigateway_(key_usage_(day|week|month)_|key_limit_(remaining|next_reset)_|usage_(day|last_day|month)_credits|budget_spent_)/;

export function expectedSeries(boundary: Boundary, moment: Moment): SeriesMap {
  return new Map((["day", "week", "month"] as const).flatMap((kind) => seriesOf(kind, boundary, moment)));
}

function seriesOf(kind: Kind, { ends, resets }: Boundary, moment: Moment): [string, number][] {
  const isNext = moment === "next poll";
  const ended = ends.includes(kind);
  if (ended && !isNext && moment !== "before") return [];
  const spentNext = ended ? SPENT_AFTER : SPENT + SPENT_AFTER;
  const spent = isNext ? spentNext : SPENT;
  // The bounds of a budget's window outlive its values.
  const budget: [string, number] = [`aigateway_budget_spent_credits{budget="${kind}"}`, spent];
  if (moment === "outage") return [budget];
  const key = RESET_OF[kind];
  const pair = 'credits{app="Chat",model="acme/one"}';
  return [
    budget,
    [`aigateway_key_usage_${kind}_credits{key="daily"}`, spent],
    [`aigateway_key_usage_${kind}_credits{key="weekly"}`, 0],
    [`aigateway_key_usage_${kind}_credits{key="monthly"}`, 0],
    [`aigateway_key_limit_remaining_credits{key="${key}"}`, key === "daily" ? LIMIT - spent : LIMIT],
    [
      `aigateway_key_limit_next_reset_timestamp_seconds{key="${key}"}`,
      Date.parse(resets[kind][isNext ? 1 : 0]) / 1000,
    ],
    ...(kind === "week" ? [] : [[`aigateway_usage_${kind}_${pair}`, spent] satisfies [string, number]]),
    ...(kind === "day" && isNext
      ? [[`aigateway_usage_last_day_${pair}`, SPENT] satisfies [string, number]]
      : []),
  ];
}

const RESET_OF = { day: "daily", week: "weekly", month: "monthly" } as const;
