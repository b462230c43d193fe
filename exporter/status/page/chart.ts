import { scaleLinear, scaleUtc } from "d3-scale";
import { DAY_MS } from "../../time/window.ts";
import { creditText } from "./amount.ts";
import { type Html, html } from "./html.ts";
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

/** What is left of a limit: the past, and an estimate from now on. */
export interface Line {
  readonly startMs: number;
  readonly endMs: number;
  /** The highest value of the axis. */
  readonly most: number;
  readonly past: readonly Point[];
  /** Empty: there is no estimate. */
  readonly ahead: readonly Point[];
  /** Whether nothing is left before the reset. */
  readonly isEarly: boolean;
}

export type Point = readonly [atMs: number, credits: number];

/** Texts for those who do not see the chart. */
export interface ChartTexts {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** In percent of width and height: the picture is stretched, and its labels are not. */
const SIZE = 100;

export function barChart(texts: ChartTexts, bars: Bars): Html {
  const { startMs, bucketMs, count, totals, before } = bars;
  const { x, y } = barScales(bars);
  const labels = totals.map((total, index) => {
    const [atMs, then] = [startMs + index * bucketMs, before[index]];
    const compared = then === undefined ? "" : `, the day before ${creditText(then)}`;
    const text = `${shortTime(atMs, bucketMs)}: ${creditText(total)}${compared}`;
    return html`<rect x="${round(x(atMs))}" y="0" width="${round(SIZE / count)}" height="${SIZE}"
      ><title>${text}</title></rect
    >`;
  });
  const marks = before.map(
    (amount, index) => `M${round(x(startMs + index * bucketMs))} ${round(y(amount))}h${round(SIZE / count)}`,
  );
  const last = totals.length - 1;
  const current = totals[last];
  const spot: Point | undefined =
    current === undefined ? undefined : [startMs + (last + 0.5) * bucketMs, current];
  const shapes = html`${barPaths(bars)}<path class="before" d="${marks.join("")}" /><g class="labels"
      >${labels}</g
    >`;
  return plot(texts, x, y, shapes, { spot, shiftMs: bucketMs < DAY_MS ? 0 : bucketMs / 2 });
}

/** A small picture in a table. Undefined: nothing is known, or nothing was spent. */
export function sparkBars(label: string, bars: Bars): Html | undefined {
  if (!bars.totals.some((amount) => amount > 0)) return undefined;
  return html`<svg ${BOX} class="spark" role="img" aria-label="${label}">${barPaths(bars)}</svg>`;
}

export function lineChart(texts: ChartTexts, line: Line): Html {
  const { x, y } = lineScales(line);
  return plot(texts, x, y, linePaths(line), { spot: line.past.at(-1), shiftMs: 0 });
}

export function sparkLine(label: string, line: Line): Html {
  return html`<svg ${BOX} class="spark" role="img" aria-label="${label}">${linePaths(line)}</svg>`;
}

const BOX = html`viewBox="0 0 100 100" preserveAspectRatio="none"`;

type X = ReturnType<typeof scaleUtc<number>>;
type Y = ReturnType<typeof scaleLinear<number>>;

function plot(
  { id, title, text }: ChartTexts,
  x: X,
  y: Y,
  shapes: Html,
  { spot, shiftMs }: { readonly spot: Point | undefined; readonly shiftMs: number },
): Html {
  const [rows, format] = [y.ticks(3), y.tickFormat(3)];
  const [start = 0, end = 0] = x.domain().map(Number);
  const grid = rows.map((credits) => `M0 ${round(y(credits))}h${SIZE}`).join("");
  return html`<div class="plot">
    <svg ${BOX} role="img" aria-labelledby="${id}-title ${id}-text">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-text">${text}</desc>
      <path class="grid" d="${grid}" />
      ${shapes}
    </svg>
    <div aria-hidden="true">
      ${rows.map((credits) => html`<span class="y" style="top:${round(y(credits))}%">${format(credits)}</span>`)}
      ${x
        .ticks(5)
        .filter((at) => Number(at) + shiftMs <= end)
        .map(
          (at) =>
            html`<span class="x" style="left:${round(x(Number(at) + shiftMs))}%"
              >${shortTime(Number(at), (end - start) / 10)}</span
            >`,
        )}
      ${
        spot &&
        html`<b style="left:${round(x(spot[0]))}%;top:${round(y(spot[1]))}%">${creditText(spot[1])}</b>`
      }
    </div>
  </div>`;
}

function barScales({ startMs, bucketMs, count, totals, before }: Bars) {
  return scales([startMs, startMs + count * bucketMs], Math.max(0, ...totals, ...before));
}

function lineScales({ startMs, endMs, most }: Line) {
  return scales([startMs, endMs], most);
}

function scales(times: readonly [number, number], most: number) {
  return {
    x: scaleUtc(times, [0, SIZE]),
    y: scaleLinear([0, most > 0 ? most : 1], [SIZE, 0]).nice(3),
  };
}

/** A refund has no bar. */
function barPaths(bars: Bars): readonly Html[] {
  const { startMs, bucketMs, count, series } = bars;
  const { x, y } = barScales(bars);
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
    return html`<path class="bars ${kind}" d="${paths.join("")}" />`;
  });
}

function linePaths(line: Line): Html {
  const { x, y } = lineScales(line);
  const path = (points: readonly Point[]) =>
    points.length === 0
      ? ""
      : `M${points.map(([atMs, credits]) => `${round(x(atMs))} ${round(y(Math.max(0, credits)))}`).join("L")}`;
  return html`<path class="${line.isEarly ? "ahead early" : "ahead"}" d="${path(line.ahead)}" /><path
      class="past"
      d="${path(line.past)}"
    />`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
