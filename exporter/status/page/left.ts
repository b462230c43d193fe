import { WINDOW_OF_RESET } from "../../readings/reading.ts";
import { type Window, windowAt } from "../../time/window.ts";
import { type Course, keyCourse } from "../history.ts";
import { isOwn } from "../danger.ts";
import type { Overview } from "../overview.ts";
import type { KeyRow } from "../target-rows.ts";
import { creditText } from "./amount.ts";
import { lineChart, type Lines, type Point, sparkLine } from "./chart.ts";
import { type Html, html } from "./html.ts";
import { card } from "./table.ts";

/** What was left of a key's limit until now, with the estimate to the reset. Undefined: something of it is unknown. */
export function leftCard(key: KeyRow, overview: PastSource): Html | undefined {
  const chart = leftLines(key, overview);
  if (!chart) return undefined;
  const heading = { id: "left", title: "Left of the limit" };
  const now = `${creditText(key.remaining ?? 0)} credits now`;
  const isEstimated = chart.lines.every(({ points }) => points.length > 0);
  return card(
    heading,
    html`<p><small>${now}${isEstimated ? "; dashed: the estimate" : ""}</small></p>
      ${lineChart({ ...heading, text: now }, chart)}
      <p class="note">Counted back from what is left now by the spend of each day or hour.</p>`,
  );
}

/** The same as a small picture. */
export function leftSpark(key: KeyRow, overview: PastSource): Html | undefined {
  const chart = leftLines(key, overview);
  return chart && sparkLine("What was left of the limit, with the estimate to the reset", chart);
}

type PastSource = Pick<Overview, "history" | "keyNames" | "nowMs">;

/** What was left until now, counted back from what is left now, and the estimate. */
function leftLines(key: KeyRow, { history, keyNames, nowMs }: PastSource): Lines | undefined {
  const { limit, remaining } = key;
  const granularity = key.reset === "daily" ? "hour" : "day";
  const course = history && keyCourse(history, granularity, key, keyNames);
  if (typeof limit !== "number" || remaining === undefined || !course) return undefined;
  const window = limitWindowOf(key, nowMs);
  const now: Point = [nowMs, remaining];
  const past = [...pastOf(untilNow(course, key, nowMs), now, limit * MOST_OF_LIMIT, window?.startMs), now];
  const [from = nowMs] = past[0] ?? [];
  if (from === nowMs) return undefined;
  // Without a reset, as long into the future as into the past.
  const endMs = window?.endMs ?? 2 * nowMs - from;
  const most = Math.max(limit, ...past.map(([, credits]) => credits));
  const lines = [aheadOf(key, now, endMs), { kind: "past", points: past }];
  return { startMs: window?.startMs ?? from, endMs, most, lines, now };
}

/** The key's own figure is newer than the history: what that lacks of today was spent in the last hour or day. */
function untilNow(course: Course, { day }: KeyRow, nowMs: number): Course {
  const { startMs, bucketMs, amounts } = course;
  const first = Math.max(0, (windowAt("day", nowMs).startMs - startMs) / bucketMs);
  const today = amounts.slice(first).reduce((sum, amount) => sum + amount, 0);
  const lacking = Math.max(0, (day ?? today) - today);
  return { ...course, amounts: [...amounts.slice(0, -1), (amounts.at(-1) ?? 0) + lacking] };
}

/** The limit may count a little more than the spend; if it seems far higher, it was another one before. */
const MOST_OF_LIMIT = 1.1;

/** What was left at the beginning of each hour or day. */
function pastOf({ startMs, bucketMs, amounts }: Course, [nowMs, now]: Point, most: number, sinceMs = 0) {
  const points: Point[] = [];
  let left = now;
  for (const [index, amount] of [...amounts.entries()].toReversed()) {
    const atMs = startMs + index * bucketMs;
    left += amount;
    if (atMs < sinceMs || left > most) break;
    if (atMs < nowMs) points.unshift([atMs, left]);
  }
  return points;
}

/** The window of a limit whose next reset is known. */
function limitWindowOf({ reset, nextResetMs }: KeyRow, nowMs: number): Window | undefined {
  const kind = reset && WINDOW_OF_RESET[reset];
  return kind === undefined || nextResetMs === undefined ? undefined : windowAt(kind, nowMs);
}

/** To the end of the credits or of the window, whichever comes first. */
function aheadOf({ forecast }: KeyRow, now: Point, endMs: number): Lines["lines"][number] {
  // Of another budget the estimate says nothing about this line.
  const { exhaustionMs, leftAtReset } = isOwn({ forecast }) && forecast ? forecast : {};
  const [nowMs, remaining] = now;
  if (exhaustionMs !== undefined && exhaustionMs > nowMs) {
    const share = Math.min((endMs - nowMs) / (exhaustionMs - nowMs), 1);
    const end: Point = [nowMs + share * (exhaustionMs - nowMs), remaining * (1 - share)];
    return { kind: "ahead early", points: [now, end] };
  }
  return { kind: "ahead", points: leftAtReset === undefined ? [] : [now, [endMs, leftAtReset]] };
}
