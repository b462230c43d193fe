/**
 * Epoch milliseconds of an ISO 8601 time, undefined when it is none. A time without an offset is UTC, never the machine's
 * own zone, and a date alone is its midnight (observed-behaviour 2, 13).
 */
export function utcMilliseconds(text: string): number | undefined {
  const match = UTC_TIME.exec(text.trim());
  if (!match) return undefined;
  const [, date = "", clock = "00:00", offset = "Z"] = match;
  // JavaScript takes February 30 for March 2.
  const midnight = new Date(`${date}T00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  const ms = Date.parse(`${date}T${clock}${offset.toUpperCase().replace(/^(...)(\d\d)$/, "$1:$2")}`);
  return Number.isNaN(ms) ? undefined : ms;
}

const UTC_TIME =
  /^(\d{4}-\d\d(?:-\d\d)?)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:\s*(Z|[+-]\d\d:?\d\d))?)?$/i;
