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
  return instant(atMs, dateText(atMs));
}

/** A UTC date, `21 November 2026`. */
export function dateText(atMs: number): string {
  return dates.format(atMs);
}

/** A mark of an axis whose marks are this far apart: `13:40` or `23 Nov`, UTC. */
export function shortTime(atMs: number, stepMs: number): string {
  return (stepMs < DAY_MS ? minutes : days).format(atMs);
}

/** `13:40 UTC`. */
export function timeText(atMs: number): string {
  return `${minutes.format(atMs)} UTC`;
}

/** A UTC month, `November 2026`. */
export function monthText(atMs: number): string {
  return months.format(atMs);
}

/** `2026-11-21 13:40:39 UTC`. */
export function utcText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" });
const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const minutes = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
const months = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** An estimate may be beyond the range of dates. */
function instant(atMs: number, text: string): Html {
  if (Number.isNaN(new Date(atMs).getTime())) return html`${text}`;
  return html`<time datetime="${new Date(atMs).toISOString()}" title="${utcText(atMs)}">${text}</time>`;
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
