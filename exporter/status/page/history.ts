import type { HistoryAxis } from "../../readings/reading.ts";
import {
  BUCKET_MS,
  DAY_MS,
  GRANULARITIES,
  type Granularity,
  windowAt,
  windowBefore,
} from "../../time/window.ts";
import { type Course, courseOf, type History, keyCourse, totalCourse } from "../history.ts";
import type { KeyNames } from "../key-names.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { axisAddress } from "../view.ts";
import { creditText } from "./amount.ts";
import { barChart, type Bars, lineChart, type Point } from "./chart.ts";
import { foreign, type Html, html, keyLink, labelled } from "./html.ts";
import { leftCard } from "./left.ts";
import { card, type Heading } from "./table.ts";
import { shortTime, timeText } from "./time.ts";

/** Largest keys, models or apps that have a colour of their own. */
const MOST_NAMED = 5;

/** The spend by day and of today by hour, divided by the largest keys, models or apps, and the month against the last one. */
export function historySection(overview: Overview, axis: HistoryAxis): Html {
  const { history, keyNames, nowMs } = overview;
  if (!history) return NO_HISTORY;
  const month = monthCard(history, nowMs);
  const [days, hours] = GRANULARITIES.map((granularity) => {
    const parts = partsOf(history, granularity, axis, keyNames);
    return parts && spendCard(parts, nowMs);
  });
  return section(history, [days, month, hours]);
}

/** The spend on one model or of one app. */
export function axisHistory({ history, nowMs }: Overview, axis: HistoryAxis, name: string): Html {
  if (!history) return NO_HISTORY;
  return section(
    history,
    courseCards((granularity) => courseOf(history, granularity, axis, name), nowMs),
  );
}

/** The spend of a key, and what is left of its limit. */
export function keyHistory(key: KeyRow, overview: Overview): Html {
  const { history, keyNames, nowMs } = overview;
  if (!history) return NO_HISTORY;
  const cards = courseCards((granularity) => keyCourse(history, granularity, key, keyNames), nowMs);
  if (cards.every((each) => !each) && history.of("key", "day"))
    return html`<p class="note">The past of the key is unknown: ${WHY_UNNAMED}</p>`;
  return section(history, [...cards, leftCard(key, overview)]);
}

const WHY_UNNAMED = html`the gateway reports it by the names that keys have there, and no list of the
  account’s keys shows this one, or several keys have its name. The section <code>discovery</code> of the
  configuration lists them.`;

const NO_HISTORY = html`<p class="note">
  With a management key (<code>analytics</code>), the gateway’s history by day and hour is drawn here.
</p>`;

function section({ targets }: History, cards: readonly (Html | undefined)[]): Html {
  if (cards.some((each) => each)) return html`<div class="charts">${cards}</div>`;
  const failure = targets().find((target) => target.failure)?.failure;
  return html`<p class="note">
    The gateway’s history is not known${failure ? html`: ${foreign(failure.message, 400)}` : " yet"}.
  </p>`;
}

function courseCards(
  courseOfOne: (granularity: Granularity) => Course | undefined,
  nowMs: number,
): readonly (Html | undefined)[] {
  return GRANULARITIES.map((granularity) => {
    const course = courseOfOne(granularity);
    return course && spendCard({ ...course, parts: [{ kind: "s0", amounts: course.amounts }] }, nowMs);
  });
}

/** Courses that add up to the spend. */
interface Parts extends Omit<Course, "amounts"> {
  readonly parts: readonly Part[];
}

interface Part {
  /** The class of its colour. */
  readonly kind: string;
  /** Absent: it is the only one. */
  readonly name?: Html;
  readonly amounts: readonly number[];
}

/** The largest names, and the rest as one; if the answer lacks rows, the rest comes from the total. */
function partsOf(
  history: History,
  granularity: Granularity,
  axis: HistoryAxis,
  keyNames: KeyNames,
): Parts | undefined {
  const [reading, total] = [history.of(axis, granularity), totalCourse(history, granularity)];
  if (!reading) return undefined;
  const { startMs, count } = reading;
  const bucketMs = BUCKET_MS[granularity];
  const ordered = [...reading.names].toSorted(([, one], [, other]) => sum(other) - sum(one));
  const named = ordered.slice(0, MOST_NAMED).map(([label, amounts], index) => {
    return { kind: `s${index}`, name: nameLink(axis, label, keyNames), amounts };
  });
  const others = ordered.slice(MOST_NAMED).map(([, amounts]) => amounts);
  const isFromTotal = reading.isLeast && total !== undefined && !total.isLeast;
  // The total reaches further back.
  const before = total ? (startMs - total.startMs) / bucketMs : 0;
  const amounts = Array.from({ length: count }, (_, index) =>
    isFromTotal
      ? (total.amounts[index + before] ?? 0) - sum(named.map((part) => part.amounts[index] ?? 0))
      : sum(others.map((each) => each[index] ?? 0)),
  );
  const rest =
    sum(amounts) > 0 || named.length === 0 ? [{ kind: "s5", name: html`everything else`, amounts }] : [];
  const { dataMs, isLeast } = isFromTotal ? total : reading;
  return { startMs, dataMs, isLeast, bucketMs, parts: [...named, ...rest] };
}

function nameLink(axis: HistoryAxis, label: string, keyNames: KeyNames): Html {
  if (axis !== "key") return html`<a href="${axisAddress(axis, label)}">${labelled(label, axis)}</a>`;
  const key = keyNames.keyOf(label);
  return key ? keyLink(key.name) : labelled(label, axis);
}

/** Undefined: there is no answer of today yet. */
function spendCard(spend: Parts, nowMs: number): Html | undefined {
  const { bucketMs, dataMs, isLeast } = spend;
  const bars = barsOf(spend, nowMs);
  if (bars.totals.length === 0) return undefined;
  const [id, title] = bucketMs < DAY_MS ? ["hours", "Spend of today by hour"] : ["days", "Spend by day"];
  const listed = bars.totals.map(
    (total, index) => `${shortTime(bars.startMs + index * bucketMs, bucketMs)} ${creditText(total)}`,
  );
  const all = `${isLeast ? "at least " : ""}${creditText(sum(bars.totals))} credits, as of ${timeText(dataMs)}`;
  const items = bars.series.flatMap(({ kind, name, amounts }) =>
    name ? [legend(kind, html`${name} <small>${creditText(sum(amounts))}</small>`)] : [],
  );
  const yesterday = bars.before.length > 0 ? legend("before", html`yesterday`) : undefined;
  const chart = barChart({ id, title, text: `Credits: ${listed.join(", ")}.` }, bars);
  return chartCard({ id, title }, all, chart, [...items, yesterday]);
}

function chartCard(heading: Heading, all: string, chart: Html, items: readonly (Html | undefined)[]): Html {
  return card(
    heading,
    html`<p><small>${all}</small></p>
      ${chart}
      <ul class="legend">
        ${items}
      </ul>`,
  );
}

function legend(kind: string, text: Html): Html {
  return html`<li><i class="${kind}" style="--part:var(--${kind})"></i> ${text}</li>`;
}

/** Hours are those of today, compared with those of yesterday. */
function barsOf({ startMs, bucketMs, parts }: Pick<Parts, "startMs" | "bucketMs" | "parts">, nowMs: number) {
  const isHourly = bucketMs < DAY_MS;
  const firstMs = isHourly ? windowAt("day", nowMs).startMs : startMs;
  const first = (firstMs - startMs) / bucketMs;
  const length = parts[0]?.amounts.length ?? 0;
  const totals = Array.from({ length }, (_, index) => sum(parts.map(({ amounts }) => amounts[index] ?? 0)));
  const count = isHourly ? DAY_MS / bucketMs : length;
  return {
    startMs: firstMs,
    bucketMs,
    count,
    series: parts.map((part) => ({ ...part, amounts: part.amounts.slice(first, first + count) })),
    totals: totals.slice(first, first + count),
    before: isHourly ? totals.slice(Math.max(0, first - count), first) : [],
  } satisfies Bars;
}

/** What was spent since the beginning of the month, with the same days of the last one. Undefined: it is not known from its first day on. */
function monthCard(history: History, nowMs: number): Html | undefined {
  const course = totalCourse(history, "day");
  const [month, last] = [windowAt("month", nowMs), windowBefore("month", nowMs)];
  if (!course || course.isLeast || course.startMs > last.startMs || course.dataMs < month.startMs)
    return undefined;
  const { startMs, amounts } = course;
  const points = (fromMs: number, toMs: number): readonly Point[] => {
    let spent = 0;
    const days = amounts.slice((fromMs - startMs) / DAY_MS, (toMs - startMs) / DAY_MS);
    const ends = days.map((amount, index): Point => {
      const atMs = Math.min(fromMs + (index + 1) * DAY_MS, fromMs < month.startMs ? Infinity : nowMs);
      return [atMs + month.startMs - fromMs, (spent += amount)];
    });
    return [[month.startMs, 0], ...ends];
  };
  const [before, now] = [points(last.startMs, month.startMs), points(month.startMs, month.endMs)];
  const [spent, whole] = [now, before].map((each) => each.at(-1) ?? ([nowMs, 0] as const));
  const lines = [
    { kind: "before", points: before },
    { kind: "past", points: now },
  ];
  const endMs = Math.max(month.endMs, whole?.[0] ?? 0);
  const most = Math.max(...[...before, ...now].map(([, credits]) => credits));
  const all = `${creditText(spent?.[1] ?? 0)} credits, last month ${creditText(whole?.[1] ?? 0)} in all`;
  const [id, title] = ["month", "This month against the last"];
  const chart = lineChart(
    { id, title, text: all },
    { startMs: month.startMs, endMs, most, lines, now: spent ?? [nowMs, 0] },
  );
  const items = [legend("s0", html`this month`), legend("before", html`last month`)];
  return chartCard({ id, title }, all, chart, items);
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
