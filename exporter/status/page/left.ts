import { type Window, type WindowKind, windowAt } from "../../time/window.ts";
import { type Course, type History, keyCourse } from "../history.ts";
import type { KeyRow } from "../target-rows.ts";
import { creditText } from "./amount.ts";
import { type Line, lineChart, type Point, sparkLine } from "./chart.ts";
import { type Html, html } from "./html.ts";

/** What was left of a key's limit until now, with the estimate to the reset. Undefined: something of it is unknown. */
export function leftCard(key: KeyRow, history: History, nowMs: number): Html | undefined {
  const line = leftLine(key, history, nowMs);
  return line && card(line, key);
}

/** The same as a small picture. */
export function leftSpark(key: KeyRow, history: History, nowMs: number): Html | undefined {
  const line = leftLine(key, history, nowMs);
  return line && sparkLine("What was left of the limit, with the estimate to the reset", line);
}

/** What was left until now, counted back from what is left now, and the estimate. */
function leftLine(key: KeyRow, history: History, nowMs: number): Line | undefined {
  const { limit, remaining } = key;
  const course = keyCourse(history, key.reset === "daily" ? "hour" : "day", key.name);
  if (typeof limit !== "number" || remaining === undefined || !course) return undefined;
  const window = limitWindowOf(key, nowMs);
  const now: Point = [nowMs, remaining];
  const past = [...pastOf(course, now, limit * MOST_OF_LIMIT, window?.startMs), now];
  const [from = nowMs] = past[0] ?? [];
  if (from === nowMs) return undefined;
  // Without a reset, as long into the future as into the past.
  const endMs = window?.endMs ?? 2 * nowMs - from;
  const most = Math.max(limit, ...past.map(([, credits]) => credits));
  return { startMs: window?.startMs ?? from, endMs, most, past, ...aheadOf(key, now, endMs) };
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
  const kind = LIMIT_WINDOWS.get(reset ?? "");
  return kind === undefined || nextResetMs === undefined ? undefined : windowAt(kind, nowMs);
}

const LIMIT_WINDOWS: ReadonlyMap<string, WindowKind> = new Map([
  ["daily", "day"],
  ["weekly", "week"],
  ["monthly", "month"],
]);

/** To the end of the credits or of the window, whichever comes first. */
function aheadOf(
  { forecast, nextResetMs }: KeyRow,
  now: Point,
  endMs: number,
): Pick<Line, "ahead" | "isEarly"> {
  const { exhaustionMs, leftAtReset, source = "key_limit" } = forecast ?? {};
  if (!OWN_LIMIT.has(source)) return { ahead: [], isEarly: false };
  const [nowMs, remaining] = now;
  if (exhaustionMs !== undefined && exhaustionMs > nowMs) {
    const share = Math.min((endMs - nowMs) / (exhaustionMs - nowMs), 1);
    const end: Point = [nowMs + share * (exhaustionMs - nowMs), remaining * (1 - share)];
    return { ahead: [now, end], isEarly: nextResetMs !== undefined };
  }
  if (leftAtReset === undefined) return { ahead: [], isEarly: false };
  return { ahead: [now, [endMs, leftAtReset]], isEarly: false };
}

/** Of another budget the estimate says nothing about this line. */
const OWN_LIMIT: ReadonlySet<string> = new Set(["key_limit", "mirrored"]);

function card(line: Line, { remaining = 0 }: KeyRow): Html {
  const title = "Left of the limit";
  const estimate = line.isEarly
    ? "By the estimate, nothing is left before the reset."
    : "The estimate follows.";
  const text = `${creditText(remaining)} credits are left. ${line.ahead.length === 0 ? "" : estimate}`;
  return html`<section class="card" aria-labelledby="left">
    <header>
      <h2 id="left">${title}</h2>
      <p class="when"><small>${creditText(remaining)} credits now</small></p>
    </header>
    ${lineChart({ id: "left", title, text }, line)}
    <p class="note">
      Counted back from what is left now by the spend of each day or hour. Dashed: the estimate.
    </p>
  </section>`;
}
