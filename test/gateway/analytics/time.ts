import { wrong } from "../fields.ts";
import { DAY, HOUR, MINUTE, monthStart, SUNDAY, weekStart } from "../windows.ts";

export const granularities = ["minute", "hour", "day", "week", "month"] as const;
export type Granularity = (typeof granularities)[number];

/** Seconds are required, fractions are allowed, and only UTC is accepted (2.1 rule 1). */
const timestampForm = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:Z|[+-]00:00)$/u;

export function readTimestamp(value: unknown, name: string): number {
  const match = typeof value === "string" ? timestampForm.exec(value) : null;
  const wanted = "an ISO 8601 UTC timestamp with seconds (YYYY-MM-DDTHH:MM:SSZ)";
  if (match === null || typeof value !== "string") throw wrong(name, value, wanted);
  const at = Date.parse(value);
  // JavaScript parses February 30th as March 2nd instead of rejecting it.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(`${match[1]}T${match[2]}`)) {
    throw wrong(name, value, wanted);
  }
  return at;
}

/** The start of the bucket that contains a time. */
export function bucketStart(granularity: Granularity, at: number): number {
  switch (granularity) {
    case "minute":
      return Math.floor(at / MINUTE) * MINUTE;
    case "hour":
      return Math.floor(at / HOUR) * HOUR;
    case "day":
      return Math.floor(at / DAY) * DAY;
    case "week":
      return weekStart(at, SUNDAY);
    case "month":
      return monthStart(at);
  }
}
