import type { Config, QueryConfig } from "../config/config.ts";
import { targetId } from "../readings/target-id.ts";
import type { Job } from "../schedule/job.ts";
import { DAY_MS } from "../time/window.ts";
import { ownQueryJob, questionOf } from "./own-query.ts";

/**
 * How many days back a window may begin. The last month of August 31 began on July 1, nearly 62 days before
 * its end.
 */
export const REACH_DAYS: Readonly<Record<QueryConfig["window"], number>> = {
  day: 1,
  last_day: 2,
  month: 31,
  last_month: 62,
};

/** A window reaches back furthest in the last minute of its last day, which is one minute less than the full days. */
const MINUTE_MS = 60_000;

/**
 * One request for each query of a month, which shows whether the gateway answers for the earliest time at
 * which its window may begin. At the beginning of a month, the query itself does not show that.
 */
export function reachJobs({ gateway, analytics }: Config): readonly Job[] {
  if (!analytics) return [];
  return analytics.queries.filter(asksReach).map((query) => ({
    ...ownQueryJob(query, analytics, gateway),
    id: targetId("reach", query.name),
    title: `reach of query "${query.name}"`,
    name: `${query.name}, ${REACH_DAYS[query.window]} days back`,
    requests: 1,
    minIntervalMs: 0,
    constants: [],
    describe: () => [],
    run: async (client, requestedAtMs) => {
      const startMs = requestedAtMs - REACH_DAYS[query.window] * DAY_MS + MINUTE_MS;
      const range = { startMs, endMs: startMs + DAY_MS };
      await client.usage({ ...questionOf(query, range), total: false }, analytics.managementKey);
      return { samples: [] };
    },
  }));
}

/** Whether the window of a query begins further back on later days than today. */
export function asksReach({ window }: QueryConfig): boolean {
  return window === "month" || window === "last_month";
}
