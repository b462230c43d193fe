import { scaleLinear, scaleUtc } from "d3-scale";
import { DAY_MS } from "../../time/window.ts";
import { creditText } from "./amount.ts";
import { type Html, html } from "./html.ts";
import type { Heading } from "./table.ts";
import { shortTime } from "./time.ts";

/** Bars of consecutive hours or days. Amounts are credits. */
export interface Bars {
  readonly startMs: number;
  readonly bucketMs: number;
  /** Of the axis; the last ones may lie ahead. */
  readonly count: number;
  /** The first one is at the bottom. */
  readonly series: readonly { readonly kind: string; readonly amounts: readonly number[] }[];
  readonly totals: readonly number[];
  /** Marks to compare with. */
  readonly before: readonly number[];
}

/** Lines of credits, each with its class. */
export interface Lines {
  readonly startMs: number;
  readonly endMs: number;
  /** The highest value of the axis. */
  readonly most: number;
  readonly lines: readonly { readonly kind: string; readonly points: readonly Point[] }[];
  /** What is labelled. */
  readonly now: Point;
}

export type Point = readonly [atMs: number, credits: number];

/** Texts for those who do not see the chart. */
export interface ChartTexts extends Heading {
  readonly text: string;
}

/** In percent of width and height: the picture is stretched, and its labels are not. */
const SIZE = 100;
/** About so many lines of the grid. */
const TICKS = 4;

export function barChart(texts: ChartTexts, bars: Bars): Html {
  const { startMs, bucketMs, count, totals, before } = bars;
  const { x, y } = scales([startMs, startMs + count * bucketMs], Math.max(0, ...totals, ...before));
  const width = round(SIZE / count);
  const left = (index: number) => round(x(startMs + index * bucketMs));
  const labels = totals.map((total, index) => {
    const then = before[index];
    const compared = then === undefined ? "" : `, the day before ${creditText(then)}`;
    const text = `${shortTime(startMs + index * bucketMs, bucketMs)}: ${creditText(total)}${compared}`;
    return html`<rect x="${left(index)}" y="0" width="${width}" height="${SIZE}"
      ><title>${text}</title></rect
    >`;
  });
  const marks = before.map((amount, index) => `M${left(index)} ${round(y(amount))}h${width}`).join("");
  const last = totals.length - 1;
  const current = totals[last];
  const now: Point | undefined =
    current === undefined ? undefined : [startMs + (last + 0.5) * bucketMs, current];
  const shapes = html`${barPaths(bars, x, y)}<path class="before" d="${marks}" /><g class="labels"
      >${labels}</g
    >`;
  return plot(texts, { x, y, shapes, now, shiftMs: bucketMs < DAY_MS ? 0 : bucketMs / 2 });
}

export function lineChart(texts: ChartTexts, { startMs, endMs, most, lines, now }: Lines): Html {
  const { x, y } = scales([startMs, endMs], most);
  return plot(texts, { x, y, shapes: linePaths(lines, x, y), now, shiftMs: 0 });
}

/** A small picture in a table. */
export function sparkLine(label: string, { startMs, endMs, most, lines }: Lines): Html {
  const { x, y } = scales([startMs, endMs], most);
  return html`<svg ${BOX} class="spark" role="img" aria-label="${label}">${linePaths(lines, x, y)}</svg>`;
}

const BOX = html`viewBox="0 0 100 100" preserveAspectRatio="none"`;

type X = ReturnType<typeof scaleUtc<number>>;
type Y = ReturnType<typeof scaleLinear<number>>;

interface Plot {
  readonly x: X;
  readonly y: Y;
  readonly shapes: Html | readonly Html[];
  readonly now: Point | undefined;
  /** From the beginning of a bar to its middle. */
  readonly shiftMs: number;
}

function plot({ id, title, text }: ChartTexts, { x, y, shapes, now, shiftMs }: Plot): Html {
  const [rows, format] = [y.ticks(TICKS), y.tickFormat(TICKS)];
  const [start = 0, end = 0] = x.domain().map(Number);
  const grid = rows.map((credits) => `M0 ${round(y(credits))}h${SIZE}`).join("");
  const all = x.ticks(5).filter((at) => Number(at) + shiftMs <= end);
  // A month has weeks, of which two months have too many.
  const times = all.filter((_, index) => index % Math.ceil(all.length / 6) === 0);
  return html`<div class="plot">
    <svg ${BOX} role="img" aria-labelledby="${id}-title ${id}-text">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-text">${text}</desc>
      <path class="grid" d="${grid}" />
      ${shapes}
    </svg>
    <div aria-hidden="true">
      <span class="unit">credits</span>
      ${rows.map((credits) => html`<span class="y" style="top:${round(y(credits))}%">${format(credits)}</span>`)}
      ${times.map(
        (at) =>
          html`<span class="x" style="left:${round(x(Number(at) + shiftMs))}%"
            >${shortTime(Number(at), (end - start) / 10)}</span
          >`,
      )}
      ${now && html`<b style="left:${round(x(now[0]))}%;top:${round(y(now[1]))}%">${creditText(now[1])}</b>`}
    </div>
  </div>`;
}

function scales(times: readonly [number, number], most: number): Pick<Plot, "x" | "y"> {
  return {
    x: scaleUtc(times, [0, SIZE]),
    y: scaleLinear([0, most > 0 ? most : 1], [SIZE, 0]).nice(TICKS),
  };
}

/** A refund has no bar. */
function barPaths({ startMs, bucketMs, count, series }: Bars, x: X, y: Y): readonly Html[] {
  const gap = SIZE / count / 8;
  const bottoms = Array.from({ length: count }, () => 0);
  return series.map(({ kind, amounts }) => {
    const paths = amounts.map((amount, index) => {
      if (amount <= 0) return "";
      const bottom = bottoms[index] ?? 0;
      bottoms[index] = bottom + amount;
      const [left, top] = [x(startMs + index * bucketMs) + gap, y(bottom + amount)];
      const [width, height] = [SIZE / count - 2 * gap, y(bottom) - top];
      return `M${round(left)} ${round(top)}h${round(width)}v${round(height)}h${round(-width)}Z`;
    });
    return html`<path class="bars" style="--part:var(--${kind})" d="${paths.join("")}" />`;
  });
}

function linePaths(lines: Lines["lines"], x: X, y: Y): readonly Html[] {
  return lines
    .filter(({ points }) => points.length > 0)
    .map(({ kind, points }) => {
      const path = points.map(([atMs, credits]) => `${round(x(atMs))} ${round(y(Math.max(0, credits)))}`);
      return html`<path class="${kind}" d="M${path.join("L")}" />`;
    });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
