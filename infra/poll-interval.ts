import type { ConfigFile } from "../exporter/config/schema.ts";

type Schedule = ConfigFile["schedule"]["keys"];

/**
 * Longest time between two polls in seconds; undefined for a cron that does not run every hour. `keys` polls at
 * `requestsPerMinute` may take longer than the schedule says (design: the effective interval is keys ÷ pace).
 */
export function longestPollSeconds(schedule: Schedule, keys = 0, requestsPerMinute = 0): number | undefined {
  const scheduled =
    schedule.kind === "interval" ? schedule.ms / 1000 : longestGapSeconds(schedule.expression);
  if (scheduled === undefined || requestsPerMinute === 0) return scheduled;
  return Math.max(scheduled, Math.ceil((keys * 60) / requestsPerMinute));
}

const MINUTES = 60;

/** Seconds of a cron are taken as one: polls more often than once a minute are no matter for rules. */
function longestGapSeconds(expression: string): number | undefined {
  const fields = expression.trim().split(/\s+/);
  const [minute = "", ...others] = fields.length === 6 ? fields.slice(1) : fields;
  if (others.length !== 4 || others.some((field) => field !== "*")) return undefined;
  const minutes = minutesOf(minute);
  const gaps = minutes.map((at, index) => (minutes[index + 1] ?? (minutes[0] ?? 0) + MINUTES) - at);
  return gaps.length === 0 ? undefined : Math.max(...gaps) * 60;
}

function minutesOf(field: string): readonly number[] {
  const minutes = field.split(",").flatMap((part) => {
    const [, range = "", from = "", to = "", step = ""] = PART.exec(part) ?? [];
    if (range === "") return [];
    const first = range === "*" ? 0 : Number(from);
    const last = range === "*" ? MINUTES - 1 : Number(to || (step === "" ? from : MINUTES - 1));
    const width = step === "" ? 1 : Number(step);
    return width === 0
      ? []
      : Array.from({ length: Math.floor((last - first) / width) + 1 }, (_, index) => first + index * width);
  });
  return [...new Set(minutes)].toSorted((a, b) => a - b);
}

const PART = /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;
