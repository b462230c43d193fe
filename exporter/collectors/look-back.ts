import type { UsageSeries } from "../gateway/port.ts";
import { BUCKET_MS, type Window } from "../time/window.ts";

/** Asks what was spent by hour, and says which part of the range is answered. */
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
      // The answer may have been too large.
      hours = Math.ceil(hours / 2);
      throw error;
    });
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
