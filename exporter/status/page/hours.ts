import { BUCKET_MS } from "../../time/window.ts";
import type { HourlySpend } from "../spend-hours.ts";
import { creditText } from "./amount.ts";
import { type Html, html } from "./html.ts";
import { axisTime } from "./time.ts";

/** Credits by hour of the day, from 00:00 UTC; undefined: unknown. */
type Hours = readonly (number | undefined)[];

const [WIDTH, HEIGHT] = [100, 24];
const HOURS = 24;
const GAP = 0.8;

/** The spend of today by hour. Empty: it is not known for any hour. `isLeast`: the amounts are lower bounds. */
export function hoursSection({ window }: HourlySpend, hours: Hours, isLeast: boolean): Html {
  if (!isKnown(hours)) return html``;
  return html`<section class="card" aria-labelledby="hours">
    <h2 id="hours">Spend by hour${isLeast ? ", at least" : ""}</h2>
    <svg ${BOX} class="picture" role="img" aria-labelledby="hours hours-text">
      <desc id="hours-text">${listOf(hours)}</desc>
      ${bars(hours)}
    </svg>
    <p class="axis"><small>${axisTime(window.startMs)}</small> <small>${axisTime(window.endMs)}</small></p>
    <p class="note">
      ${highest(hours, isLeast)}
      ${isLeast ? html`“At least”: what was part of <code>_other</code> is left out. ` : undefined}An hour
      ends with the last answer in it. Hours are recorded from the start of the exporter; gaps are unknown.
    </p>
  </section>`;
}

/** A small picture of the spend by hour in a table. Undefined: none is known. */
export function hourBars(hours: Hours): Html | undefined {
  if (mostOf(hours) <= 0) return undefined;
  return html`<svg ${BOX} class="spark" role="img" aria-label="By hour. ${highest(hours, true)}">
    ${bars(hours)}
  </svg>`;
}

const BOX = html`viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"`;

function isKnown(hours: Hours): boolean {
  return hours.some((credits) => credits !== undefined);
}

function bars(hours: Hours): Html {
  const most = mostOf(hours);
  const slot = WIDTH / HOURS;
  const paths = hours.map((credits = 0, hour) => {
    if (credits <= 0) return "";
    const [left, height] = [hour * slot + GAP / 2, (credits / most) * HEIGHT];
    return `M${rounded(left)} ${HEIGHT}v${rounded(-height)}h${rounded(slot - GAP)}v${rounded(height)}Z`;
  });
  return html`<path class="bars" d="${paths.join("")}" />`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function mostOf(hours: Hours): number {
  return Math.max(0, ...hours.map((credits = 0) => credits));
}

/** Describes the known hours only. `isLeast`: more may have been spent in each hour. */
function highest(hours: Hours, isLeast: boolean): string {
  const most = mostOf(hours);
  const isWhole = hours.every((credits) => credits !== undefined);
  if (most <= 0 && isLeast) return "No spend is known.";
  if (most <= 0) return isWhole ? "Nothing was spent." : "Nothing was spent in the hours that are known.";
  return `The highest ${isWhole ? "" : "known "}hour: ${creditText(most)} credits from ${timeOf(hours.indexOf(most))} UTC.`;
}

function listOf(hours: Hours): string {
  const known = hours.flatMap((credits, hour) =>
    credits === undefined ? [] : `${timeOf(hour)} ${creditText(credits)}`,
  );
  return `Credits from each hour on, UTC: ${known.join(", ")}.`;
}

function timeOf(hour: number): string {
  return new Date(hour * BUCKET_MS.hour).toISOString().slice(11, 16);
}
