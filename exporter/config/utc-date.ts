/** Epoch milliseconds of a date (`2026-11-01`, its midnight in UTC) or a date-time in UTC (`2026-11-01T08:30:00Z`). */
export function parseUtcDate(text: string): number | undefined {
  const [date = "", time = ""] = text.split("T");
  const ms = FORM.test(text) ? Date.parse(time === "" ? `${date}T00:00:00Z` : text) : Number.NaN;
  // JavaScript takes February 30 for March 2, and 24:00 for the next day.
  return ms >= 0 && new Date(ms).toISOString().startsWith(date) ? ms : undefined;
}

const FORM = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z)?$/;
