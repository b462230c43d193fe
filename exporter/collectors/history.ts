import type { AnalyticsConfig, Config } from "../config/config.ts";
import { GatewayError } from "../gateway/errors.ts";
import type { UsageSeries } from "../gateway/port.ts";
import { HISTORY_SUBJECTS, type HistoryReading, type HistorySubject } from "../readings/reading.ts";
import type { Job } from "../schedule/job.ts";
import {
  BUCKET_MS,
  DAY_MS,
  GRANULARITIES,
  type Granularity,
  type Window,
  windowAt,
  windowBefore,
} from "../time/window.ts";
import { accountJob, type Collector } from "./collector.ts";
import { labelText, shownLabel } from "../metrics/label-text.ts";
import { runningRange } from "./query-job.ts";

const HOUR_MS = BUCKET_MS.hour;

/** What the courses of the keys begin with, and what fills their gaps. */
const FORECAST: Question = {
  name: "key-week",
  subject: "key",
  granularity: "hour",
  leastIntervalMs: HOUR_MS,
  days: 7,
};

/** Spend by day and by hour for the status page, and by hour for the forecast. It has no metrics: Prometheus keeps its own history. */
export const historyCollector: Collector = {
  name: "history",
  schedule: "analytics",
  families: [],
  jobs: ({ gateway, analytics }) =>
    analytics
      ? [
          ...GRANULARITIES.flatMap((granularity) =>
            HISTORY_SUBJECTS.map((subject) => drawn(subject, granularity)),
          ),
          FORECAST,
        ].map((question) => historyJob(question, analytics, gateway))
      : [],
};

/** What one job asks. */
interface Question {
  readonly name: string;
  readonly subject: HistorySubject;
  readonly granularity: Granularity;
  readonly leastIntervalMs: number;
  /** Number of days before today. */
  readonly days: number;
  /** Whether last month is part of it. */
  readonly sinceLastMonth?: boolean;
}

/** What the page draws. Services answer about some dimensions for 31 days only. */
function drawn(subject: HistorySubject, granularity: Granularity): Question {
  const times =
    granularity === "day"
      ? { leastIntervalMs: HOUR_MS, days: 30, sinceLastMonth: subject === "total" }
      : { leastIntervalMs: HOUR_MS / 4, days: 1 };
  return { name: `${subject}-${granularity}`, subject, granularity, ...times };
}

const DIMENSIONS = { total: [], key: ["api_key_id"], model: ["model"], app: ["app"] } as const;

function historyJob(
  { name, subject, granularity, leastIntervalMs, days, sinceLastMonth }: Question,
  analytics: AnalyticsConfig,
  gateway: Config["gateway"],
): Job {
  const isOfForecast = name === FORECAST.name;
  const bucketMs = BUCKET_MS[granularity];
  const lookBack = createLookBack(bucketMs, isOfForecast ? FORECAST_PARTS : undefined);
  return {
    ...accountJob("history", name, analytics, gateway),
    title: `the spend by ${subject === "total" ? "" : `${subject} and `}${granularity}`,
    endpoint: "analytics",
    minIntervalMs: leastIntervalMs,
    comesFirst: isOfForecast,
    run: async (client, requestedAtMs) => {
      const first = windowAt("day", requestedAtMs - days * DAY_MS).startMs;
      const month = windowBefore("month", requestedAtMs).startMs;
      const whole = runningRange(
        { startMs: sinceLastMonth ? Math.min(first, month) : first, endMs: requestedAtMs },
        requestedAtMs,
      );
      const question = { granularity, dimensions: DIMENSIONS[subject], withoutTokens: true } as const;
      const ask = (range: Window) => client.usageSeries({ ...question, range }, analytics.managementKey);
      try {
        const { range, ...answer } = await lookBack(ask, whole);
        const { computedAtMs = requestedAtMs } = answer;
        const dataMs = Math.min(computedAtMs, requestedAtMs);
        const spend = spendOf(answer, range, bucketMs);
        return {
          value: { kind: "history", startMs: range.startMs, dataMs, ...spend },
          samples: [],
          computedAtMs,
        };
      } catch (error) {
        // A service need not know every granularity and dimension.
        if (error instanceof GatewayError && error.status === 400) return { samples: [], isUnanswered: true };
        throw error;
      }
    },
  };
}

/** Nothing was spent in an hour or a day without a row. */
function spendOf(
  { rows, truncated, unreadableRows, warnings }: UsageSeries,
  { startMs, endMs }: Window,
  bucketMs: number,
): Pick<HistoryReading, "count" | "names" | "isLeast"> {
  const count = Math.ceil((endMs - startMs) / bucketMs);
  const names = new Map<string, number[]>();
  let isLeast = truncated || unreadableRows > 0 || warnings > 0;
  for (const {
    startMs: atMs,
    amounts,
    labels: [label = ""],
  } of rows) {
    const name = shownLabel(labelText(label || "_none"));
    const spent = names.get(name) ?? Array.from({ length: count }, () => 0);
    const place = Math.floor((atMs - startMs) / bucketMs);
    if (amounts.credits === undefined && amounts.requests !== 0) isLeast = true;
    spent[place] = (spent[place] ?? 0) + (amounts.credits ?? 0);
    names.set(name, spent);
  }
  return { count, names, isLeast };
}

/** Asks what was spent by hour or day, and says which part of the range is answered. */
export type LookBack = (
  ask: (range: Window) => Promise<UsageSeries>,
  range: Window,
) => Promise<UsageSeries & { readonly range: Window }>;

/** How a long past is asked for, the newest part first. */
interface Parts {
  /** Number of hours or days. */
  readonly first: number;
  /** The first time; then one, for as much as fits. */
  readonly requests: number;
  /** What an answer shall have at most. */
  readonly rows: number;
}

export const FORECAST_PARTS: Parts = { first: 6, requests: 4, rows: 2500 };
/** For what is drawn, a cut answer will do. */
const WHOLE: Parts = { first: Infinity, requests: 1, rows: Infinity };
/** Of the rows at which a service cuts, because some hours have more than others. */
const COMFORTABLE_PART = 0.8;

/**
 * Asks for the newest hours or days of a range, because a large account has more than an answer holds. What is too large,
 * or cut although parts are wanted, is asked for again by half. The size that fits is kept; it grows when there are fewer rows.
 */
export function createLookBack(bucketMs: number, parts: Parts = WHOLE): LookBack {
  let most = parts.first;
  let requests = parts.requests;
  /** 0: what fits is unknown. */
  let mostRows = parts.rows;

  async function look(
    ask: (range: Window) => Promise<UsageSeries>,
    { startMs, endMs }: Window,
    left: number,
  ): ReturnType<LookBack> {
    const lastMs = Math.ceil(endMs / bucketMs) * bucketMs;
    const range = { startMs: Math.max(startMs, lastMs - most * bucketMs), endMs };
    const count = (lastMs - range.startMs) / bucketMs;
    const answer = await ask(range).catch((error: unknown) => {
      if (!isTooLarge(error) || count === 1) throw error;
      return undefined;
    });
    const rows = (answer?.rows.length ?? 0) + 1;
    const isCut = answer?.truncated === true && parts !== WHOLE;
    if (!answer) mostRows = 0;
    else if (isCut) mostRows = Math.min(mostRows, rows * COMFORTABLE_PART);
    else if (mostRows < parts.rows) mostRows = Math.min(parts.rows, Math.max(mostRows, rows));
    if (!answer || (isCut && count > 1)) {
      most = Math.ceil(count / 2);
      return look(ask, { startMs, endMs }, left);
    }
    most = Math.max(1, Math.floor((count * mostRows) / rows));
    const newest = { ...answer, range };
    if (left === 1 || range.startMs === startMs) return newest;
    const older = await look(ask, { startMs, endMs: range.startMs }, left - 1).catch(() => undefined);
    return older && !older.truncated ? joined(older, newest) : newest;
  }

  return async (ask, range) => {
    const answer = await look(ask, range, requests);
    requests = 1;
    return answer;
  };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof GatewayError && error.isTooLarge;
}

type Answer = Awaited<ReturnType<LookBack>>;

function joined(older: Answer, newer: Answer): Answer {
  return {
    ...newer,
    rows: [...older.rows, ...newer.rows],
    unreadableRows: older.unreadableRows + newer.unreadableRows,
    warnings: older.warnings + newer.warnings,
    range: { startMs: older.range.startMs, endMs: newer.range.endMs },
  };
}
