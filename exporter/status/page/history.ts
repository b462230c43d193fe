import type { HistoryAxis } from "../../readings/reading.ts";
import { BUCKET_MS, DAY_MS, GRANULARITIES, type Granularity, windowAt } from "../../time/window.ts";
import { type Course, courseOf, type History, keyCourse, totalCourse } from "../history.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { axisAddress } from "../view.ts";
import { creditText } from "./amount.ts";
import { barChart, type Bars, sparkBars } from "./chart.ts";
import { foreign, type Html, html, keyLink } from "./html.ts";
import { leftCard } from "./left.ts";
import { shortTime, utcText } from "./time.ts";

/** Largest keys, models or apps that have a colour of their own. */
const MOST_NAMED = 5;

/** The spend by day and of today by hour, divided by the largest keys, models or apps. */
export function historySection({ history, nowMs }: Overview, axis: HistoryAxis): Html {
  if (!history) return NO_HISTORY;
  const cards = GRANULARITIES.flatMap((granularity) => {
    const parts = partsOf(history, granularity, axis);
    return parts ? [spendCard(parts, nowMs)] : [];
  });
  return section(history, cards);
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
export function keyHistory(key: KeyRow, { history, nowMs }: Overview): Html {
  if (!history) return NO_HISTORY;
  const left = leftCard(key, history, nowMs);
  const cards = courseCards((granularity) => keyCourse(history, granularity, key.name), nowMs);
  if (cards.length === 0 && history.of("key", "day"))
    return html`<p class="note">The past of the key is unknown: ${WHY_UNNAMED}</p>`;
  return section(history, [...cards, ...(left ? [left] : [])]);
}

const WHY_UNNAMED = html`the gateway reports it by the names that keys have there, and no list of the
  account’s keys shows this one, or several keys have its name. The section <code>discovery</code> of the
  configuration lists them.`;

const NO_HISTORY = html`<p class="note">
  With a management key (<code>analytics</code>), the gateway’s history by day and hour is drawn here.
</p>`;

function section({ targets }: History, cards: readonly Html[]): Html {
  if (cards.length > 0) return html`<div class="windows">${cards}</div>`;
  const failure = targets().find((target) => target.failure)?.failure;
  return html`<p class="note">
    The gateway’s history is not known${failure ? html`: ${foreign(failure.message, 400)}` : " yet"}.
  </p>`;
}

function courseCards(
  courseOfOne: (granularity: Granularity) => Course | undefined,
  nowMs: number,
): readonly Html[] {
  return GRANULARITIES.flatMap((granularity) => {
    const course = courseOfOne(granularity);
    return course ? [spendCard({ ...course, parts: [{ kind: "s0", amounts: course.amounts }] }, nowMs)] : [];
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
function partsOf(history: History, granularity: Granularity, axis: HistoryAxis): Parts | undefined {
  const [reading, total] = [history.of(axis, granularity), totalCourse(history, granularity)];
  if (!reading) return undefined;
  const ordered = [...reading.names].toSorted(([, one], [, other]) => sum(other) - sum(one));
  const named = ordered.slice(0, MOST_NAMED).map(([label, amounts], index) => {
    return { kind: `s${index}`, name: nameLink(axis, label, history.labels().nameOf(label)), amounts };
  });
  const others = ordered.slice(MOST_NAMED).map(([, amounts]) => amounts);
  const isFromTotal = reading.isLeast && total !== undefined && !total.isLeast;
  const amounts = isFromTotal
    ? total.amounts.map((all, index) => all - sum(named.map((part) => part.amounts[index] ?? 0)))
    : Array.from({ length: reading.count }, (_, index) => sum(others.map((each) => each[index] ?? 0)));
  const rest =
    sum(amounts) > 0 || named.length === 0 ? [{ kind: "rest", name: html`everything else`, amounts }] : [];
  const { startMs, dataMs, isLeast } = isFromTotal ? total : reading;
  return { startMs, dataMs, isLeast, bucketMs: BUCKET_MS[granularity], parts: [...named, ...rest] };
}

function nameLink(axis: HistoryAxis, label: string, key: string | undefined): Html {
  if (axis !== "key") return html`<a href="${axisAddress(axis, label)}">${foreign(label, 64)}</a>`;
  return key === undefined ? foreign(label, 64) : keyLink(key);
}

function spendCard(spend: Parts, nowMs: number): Html {
  const { bucketMs, dataMs, isLeast } = spend;
  const bars = barsOf(spend, nowMs);
  const [id, title] = bucketMs < DAY_MS ? ["hours", "Spend of today by hour"] : ["days", "Spend by day"];
  const listed = bars.totals.map(
    (total, index) => `${shortTime(bars.startMs + index * bucketMs, bucketMs)} ${creditText(total)}`,
  );
  const all = `${isLeast ? "at least " : ""}${creditText(sum(bars.totals))} credits, as of ${utcText(dataMs)}`;
  return html`<section class="card" aria-labelledby="${id}">
    <header>
      <h2 id="${id}">${title}</h2>
      <p class="when"><small>${all}</small></p>
    </header>
    ${barChart({ id, title, text: `Credits: ${listed.join(", ")}.` }, bars)}
    ${legend(bars.series, bars.before.length > 0)}
  </section>`;
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

function legend(parts: readonly Part[], isCompared: boolean): Html {
  const items = parts.flatMap(({ kind, name, amounts }) =>
    name ? [html`<li><i class="${kind}"></i> ${name} <small>${creditText(sum(amounts))}</small></li>`] : [],
  );
  return html`<ul class="legend">
    ${items}${isCompared ? html`<li><i class="before"></i> yesterday</li>` : undefined}
  </ul>`;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** The spend of today by hour as a small picture. */
export function todaySpark(course: Course | undefined, nowMs: number): Html | undefined {
  if (!course) return undefined;
  const parts = [{ kind: "s0", amounts: course.amounts }];
  return sparkBars("Spend of today by hour", { ...barsOf({ ...course, parts }, nowMs), before: [] });
}
