import { DAY_MS } from "../../time/window.ts";
import { type Html, html } from "./html.ts";

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, DAY_MS];

/** How long ago an instant was, with the exact time as its title. */
export function ago(atMs: number, nowMs: number): Html {
  const ageMs = nowMs - atMs;
  return instant(atMs, ageMs < SECOND ? "just now" : `${largestUnit(ageMs)} ago`);
}

/** How long it is until an instant, in two units, with the exact time as its title. */
export function until(atMs: number, nowMs: number): Html {
  const waitMs = atMs - nowMs;
  return instant(atMs, waitMs < SECOND ? "now" : `in ${twoUnits(waitMs)}`);
}

/** The UTC date of an instant, with the exact time as its title. */
export function date(atMs: number): Html {
  return instant(atMs, isDate(atMs) ? dateText(atMs) : "out of range");
}

/** A UTC date, `21 November 2026`. */
export function dateText(atMs: number): string {
  return dates.format(atMs);
}

/** The end of an axis, `23 Nov, 13:40 UTC`, with the exact time as its title. */
export function axisTime(atMs: number): Html {
  return instant(atMs, isDate(atMs) ? `${minutes.format(atMs)} UTC` : "out of range");
}

/** A UTC month, `November 2026`. */
export function monthText(atMs: number): string {
  return months.format(atMs);
}

/** `2026-11-21 13:40:39 UTC`. */
export function utcText(atMs: number): string {
  return isDate(atMs) ? `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC` : "out of range";
}

const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const minutes = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});
const months = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

function instant(atMs: number, text: string): Html {
  if (!isDate(atMs)) return html`${text}`;
  return html`<time datetime="${new Date(atMs).toISOString()}" title="${utcText(atMs)}">${text}</time>`;
}

/** Whether it is a valid date: the gateway may send any number as a time. */
function isDate(atMs: number): boolean {
  return !Number.isNaN(new Date(atMs).getTime());
}

function largestUnit(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  return ms < 2 * DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
}

function twoUnits(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  const [large, small, largeName, smallName] =
    ms < DAY ? ([HOUR, MINUTE, "h", "min"] as const) : ([DAY, HOUR, "d", "h"] as const);
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? "" : ` ${rest} ${smallName}`}`;
}
