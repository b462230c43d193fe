import type { ConfigFile } from "../exporter/config/schema.ts";
import { longestGapMs } from "../exporter/time/ticker.ts";

type Schedule = ConfigFile["schedule"]["keys"];

/**
 * Longest time between two polls in seconds; undefined for a cron that pauses for more than an hour. `keys` polls at
 * `requestsPerMinute` may take longer than the schedule specifies; then that time is the effective interval.
 */
export function longestPollSeconds(schedule: Schedule, keys = 0, requestsPerMinute = 0): number | undefined {
  const scheduled = scheduledSeconds(schedule);
  if (scheduled === undefined || requestsPerMinute === 0) return scheduled;
  return Math.max(scheduled, Math.ceil((keys * 60) / requestsPerMinute));
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** A cron with seconds counts as one minute: rules need no shorter windows. */
function scheduledSeconds(schedule: Schedule): number | undefined {
  const seconds = longestGapMs(schedule) / 1000;
  if (schedule.kind === "interval") return seconds;
  return seconds > HOUR ? undefined : Math.max(MINUTE, Math.ceil(seconds / MINUTE) * MINUTE);
}
