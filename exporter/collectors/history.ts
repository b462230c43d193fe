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
  const lookBack = isOfForecast ? createLookBack() : createNarrowing(bucketMs);
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
        if (error instanceof GatewayError && error.status === 400) return { samples: [] };
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

/** Asks for a range. A large account has more than an answer holds, and is asked for the newer half from then on. */
function createNarrowing(bucketMs: number): LookBack {
  let most = Infinity;
  return async function narrowed(ask, { startMs, endMs }) {
    const lastMs = Math.ceil(endMs / bucketMs) * bucketMs;
    const range = { startMs: Math.max(startMs, lastMs - most * bucketMs), endMs };
    try {
      return { ...(await ask(range)), range };
    } catch (error) {
      const asked = (lastMs - range.startMs) / bucketMs;
      if (!isTooLarge(error) || asked === 1) throw error;
      most = Math.ceil(asked / 2);
      return narrowed(ask, { startMs, endMs });
    }
  };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof GatewayError && error.isTooLarge;
}

/** Asks what was spent by hour or day, and says which part of the range is answered. */
export type LookBack = (
  ask: (range: Window) => Promise<UsageSeries>,
  range: Window,
) => Promise<UsageSeries & { readonly range: Window }>;

/**
 * Asks for the newest hours of a range, then for those before, because a large account has more than an answer holds. The
 * first time it sends a few requests; then one, for as many hours as fit.
 */
export function createLookBack(): LookBack {
  let hours = FIRST_HOURS;
  let requests = MOST_REQUESTS;
  let comfortableRows = COMFORTABLE_ROWS;

  async function look(
    ask: (range: Window) => Promise<UsageSeries>,
    { startMs, endMs }: Window,
    left: number,
  ): ReturnType<LookBack> {
    const hourMs = BUCKET_MS.hour;
    const range = { startMs: Math.max(startMs, (Math.ceil(endMs / hourMs) - hours) * hourMs), endMs };
    const answer = await ask(range).catch((error: unknown) => {
      hours = Math.ceil(hours / 2);
      if (!isTooLarge(error) || left === 1) throw error;
      return undefined;
    });
    if (!answer) return look(ask, { startMs, endMs }, left - 1);
    const rows = answer.rows.length + 1;
    if (answer.truncated) comfortableRows = Math.min(comfortableRows, rows * COMFORTABLE_PART);
    const fitting = answer.truncated ? hours / 2 : (hours * comfortableRows) / rows;
    hours = Math.max(1, Math.min(Math.floor(fitting), MOST_HOURS));
    if (answer.truncated && left > 1) return look(ask, { startMs, endMs }, left - 1);
    const newest = { ...answer, range };
    if (left === 1 || range.startMs === startMs) return newest;
    const earlier = { startMs, endMs: range.startMs };
    const older = await look(ask, earlier, left - 1).catch(() => undefined);
    return older && !older.truncated ? joined(older, newest) : newest;
  }

  return async (ask, range) => {
    const answer = await look(ask, range, requests);
    requests = 1;
    return answer;
  };
}

const FIRST_HOURS = 6;
const MOST_HOURS = 8 * 24;
const MOST_REQUESTS = 4;
/** They are read without holding up a scrape. */
const COMFORTABLE_ROWS = 2500;
/** Of the rows at which a service cuts, because some hours have more than others. */
const COMFORTABLE_PART = 0.8;

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
