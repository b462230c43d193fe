import { type CronFault, cronFaults } from "../time/cron.ts";
import { parseDuration } from "../time/duration.ts";
import type { ScheduleExpression } from "../time/ticker.ts";
import { DAY_MS } from "../time/window.ts";
import { quote } from "./quote.ts";

export type ParsedSchedule =
  | { readonly ok: true; readonly schedule: ScheduleExpression }
  /** The problem of the text; a message appends it to the text: `has an invalid minute field "61"`. */
  | { readonly ok: false; readonly fault: string };

export const SCHEDULE_RULE =
  "a cron expression of 5 or 6 fields (UTC) or an interval from 1s to 1d, such as 60s";

/** A cron expression in UTC with five fields, or six with seconds, or an interval. */
export function parseSchedule(text: string): ParsedSchedule {
  const fields = text.trim().split(/\s+/);
  if (fields.length === 1) return parseInterval(text);
  if (fields.length !== 5 && fields.length !== 6) return { ok: false, fault: `is not ${SCHEDULE_RULE}` };
  const expression = fields.join(" ");
  const faults = cronFaults(expression);
  if (faults.length > 0) return { ok: false, fault: faults.map(faultText).join(" and ") };
  return { ok: true, schedule: { kind: "cron", expression } };
}

/** A window changes at most once a day, and three intervals must stay within the longest timer. */
const LONGEST_INTERVAL_MS = DAY_MS;
const SHORTEST_INTERVAL_MS = 1000;

function parseInterval(text: string): ParsedSchedule {
  const ms = parseDuration(text);
  if (ms === undefined || ms < SHORTEST_INTERVAL_MS || ms > LONGEST_INTERVAL_MS) {
    return { ok: false, fault: `is not ${SCHEDULE_RULE}` };
  }
  return { ok: true, schedule: { kind: "interval", ms } };
}

function faultText(fault: CronFault): string {
  if (fault.kind === "never") return "names a day that its months do not have";
  return `has an invalid ${fault.name === undefined ? "" : `${fault.name} `}field ${quote(fault.value)}`;
}
