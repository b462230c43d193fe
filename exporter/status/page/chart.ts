import { BUCKET_MS, windowAt } from "../../time/window.ts";
import { forecastOf, limitWindowOf } from "../forecast.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { type Html, html } from "./html.ts";

/** What a picture needs: the course of a key so far, which is absent if nothing was recorded. */
export type Course = Pick<Overview, "history" | "nowMs">;

/** Lines over time, in credits. Each line is a path of `d`. */
export interface Chart {
  /** Of the horizontal axis. */
  readonly startMs: number;
  readonly endMs: number;
  /** Between the measured line and 0; empty for what is left. */
  readonly area: string;
  /** What was measured, with gaps. */
  readonly course: string;
  /** From a known start to the first measurement: what nobody watched. */
  readonly unwatched: string;
  /** An estimate. */
  readonly forecast: string;
  /** Whether the key runs out before its reset by that estimate. */
  readonly isEarly: boolean;
}

const WIDTH = 100;
const HEIGHT = 24;
/** Room for half of a line above and below. */
const MARGIN = 1;

type Point = readonly [atMs: number, credits: number | undefined];

/** The spend of the current UTC day; undefined: fewer than two amounts are known. */
export function dayChart(key: KeyRow, { history, nowMs }: Course): Chart | undefined {
  const { startMs, endMs } = windowAt("day", nowMs);
  const past = (history?.of(key.id, nowMs) ?? []).filter(({ atMs }) => atMs >= startMs);
  const points: Point[] = [...past.map(({ atMs, day }) => [atMs, day] as const), [nowMs, key.day]];
  const [known, first] = [amountsOf(points), points.find(([, day]) => day !== undefined)];
  if (known.length < 2 || !first) return undefined;
  const path = scaled([startMs, endMs], [...known, 0]);
  const runs = runsOf(points);
  return {
    startMs,
    endMs,
    area: runs.map((run) => `${path(run)}${path.closing(run)}`).join(""),
    course: runs.map(path).join(""),
    unwatched: first[0] > startMs ? path([[startMs, 0], first]) : "",
    forecast: "",
    isEarly: false,
  };
}

/**
 * What is left of the limit: in the limit's window if it resets, with the estimate to the reset, and otherwise as long
 * into the future as into the past. Undefined: fewer than two amounts are known, or there is no limit.
 */
export function leftChart(key: KeyRow, { history, nowMs }: Course): Chart | undefined {
  const { limit, remaining } = key;
  if (typeof limit !== "number") return undefined;
  const window = limitWindowOf(key, nowMs);
  const past = history?.of(key.id, nowMs) ?? [];
  const points: Point[] = [...past.map(({ atMs, left }) => [atMs, left] as const), [nowMs, remaining]];
  const inWindow = points.filter(([atMs]) => !window || atMs >= window.startMs);
  const [known, first] = [amountsOf(inWindow), inWindow.find(([, left]) => left !== undefined)];
  if (known.length < 2 || !first) return undefined;
  const { startMs, endMs } = window ?? { startMs: first[0], endMs: 2 * nowMs - first[0] };
  const path = scaled([startMs, endMs], [...known, 0, limit]);
  return {
    startMs,
    endMs,
    area: "",
    course: runsOf(inWindow).map(path).join(""),
    unwatched: window && first[0] > startMs ? path([[startMs, limit], first]) : "",
    ...estimate(key, nowMs, endMs, path),
  };
}

function estimate(
  key: KeyRow,
  nowMs: number,
  endMs: number,
  path: (line: readonly Point[]) => string,
): Pick<Chart, "forecast" | "isEarly"> {
  const forecast = forecastOf(key, nowMs);
  if (!forecast || key.remaining === undefined) return { forecast: "", isEarly: false };
  const { exhaustedMs, leftAtReset, perHour } = forecast;
  const end: Point =
    exhaustedMs <= endMs
      ? [exhaustedMs, 0]
      : [endMs, key.remaining - (perHour * (endMs - nowMs)) / BUCKET_MS.hour];
  const isEarly = key.nextResetMs !== undefined && leftAtReset === undefined;
  return { forecast: path([[nowMs, key.remaining], end]), isEarly };
}

/** A small picture in a table, with its meaning in words. */
export function spark(chart: Chart | undefined, label: string): Html | undefined {
  return chart && html`<svg ${BOX} class="spark" role="img" aria-label="${label}">${lines(chart)}</svg>`;
}

/** A large picture. The texts are for those who do not see it. */
export function picture(chart: Chart, id: string, title: string, description: string): Html {
  return html`<svg ${BOX} class="picture" role="img" aria-labelledby="${id}-title ${id}-text">
    <title id="${id}-title">${title}</title>
    <desc id="${id}-text">${description}</desc>
    ${lines(chart)}
  </svg>`;
}

const BOX = html`viewBox="0 0 100 24" preserveAspectRatio="none"`;

function lines({ area, course, unwatched, forecast, isEarly }: Chart): Html {
  return html`${line("area", area)}${line("unwatched", unwatched)}${line(isEarly ? "forecast early" : "forecast", forecast)}${line("course", course)}`;
}

function line(kind: string, d: string): Html | undefined {
  return d === "" ? undefined : html`<path class="${kind}" d="${d}" />`;
}

function amountsOf(points: readonly Point[]): readonly number[] {
  return points.flatMap(([, credits]) => credits ?? []);
}

/** The parts of a line between its gaps. */
function runsOf(points: readonly Point[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  let isOpen = false;
  for (const point of points) {
    if (point[1] === undefined) isOpen = false;
    else if (isOpen) runs.at(-1)?.push(point);
    else {
      runs.push([point]);
      isOpen = true;
    }
  }
  return runs;
}

/** Draws lines to scale. A single point becomes a dot, because lines have round ends. */
function scaled([startMs, endMs]: readonly [number, number], amounts: readonly number[]) {
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)];
  const x = (atMs: number) => rounded(((atMs - startMs) / (endMs - startMs)) * WIDTH);
  const share = (credits: number) => (most > least ? (credits - least) / (most - least) : 0);
  const y = (credits: number) => rounded(HEIGHT - MARGIN - share(credits) * (HEIGHT - 2 * MARGIN));
  const path = (run: readonly Point[]): string =>
    `M${run.map(([atMs, credits = 0]) => `${x(atMs)} ${y(credits)}`).join("L")}${run.length === 1 ? "h0" : ""}`;
  /** Closes the area between a line and 0. */
  const closing = (run: readonly Point[]): string =>
    `L${x(run.at(-1)?.[0] ?? startMs)} ${y(0)}L${x(run[0]?.[0] ?? startMs)} ${y(0)}Z`;
  return Object.assign(path, { closing });
}

/** To tenths; toFixed takes five times as long, and a page has twenty thousand points. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
