import {
  HISTORY_SUBJECTS,
  type HistoryAxis,
  type HistoryReading,
  type HistorySubject,
} from "../readings/reading.ts";
import type { ReadingSource } from "../readings/readings.ts";
import { targetId } from "../readings/target-id.ts";
import { BUCKET_MS, GRANULARITIES, type Granularity, windowAt } from "../time/window.ts";
import type { KeyNames, OwnFigures, SpendUnderName } from "./key-names.ts";
import { type TargetRow, targetRow } from "./target-rows.ts";

/** What the account spent by day and by hour, as the gateway reports it. */
export interface History {
  readonly targets: () => readonly TargetRow[];
  /** Undefined: there is no current answer. */
  of(subject: HistorySubject, granularity: Granularity): HistoryReading | undefined;
}

/** Credits of consecutive hours or days. */
export interface Course {
  readonly startMs: number;
  readonly bucketMs: number;
  readonly dataMs: number;
  readonly amounts: readonly number[];
  /** Whether they are lower bounds. */
  readonly isLeast: boolean;
}

export function createHistory(readings: ReadingSource): History {
  const names = GRANULARITIES.flatMap((granularity) =>
    HISTORY_SUBJECTS.map((subject) => `${subject}-${granularity}`),
  );
  return {
    targets: () => names.map((name) => targetRow(name, readings.status(targetId("history", name)))),
    of: (subject, granularity) => {
      const value = readings.shown(targetId("history", `${subject}-${granularity}`))?.value;
      return value?.kind === "history" ? value : undefined;
    },
  };
}

/** The spend in all. */
export function totalCourse(history: History, granularity: Granularity): Course | undefined {
  const reading = history.of("total", granularity);
  if (!reading) return undefined;
  const [amounts = nothing(reading)] = reading.names.values();
  return { ...reading, bucketMs: BUCKET_MS[granularity], amounts };
}

/** The spend of one name. Undefined: there is no answer, or it may lack the name. */
export function courseOf(
  history: History,
  granularity: Granularity,
  axis: HistoryAxis,
  name: string,
): Course | undefined {
  const reading = history.of(axis, granularity);
  if (!reading) return undefined;
  const amounts = reading.names.get(name) ?? (reading.isLeast ? undefined : nothing(reading));
  return amounts && { ...reading, bucketMs: BUCKET_MS[granularity], amounts };
}

function nothing({ count }: HistoryReading): readonly number[] {
  return Array.from({ length: count }, () => 0);
}

/** Undefined also if what the gateway calls the key is unknown, or other keys spend under that name. */
export function keyCourse(
  history: History,
  granularity: Granularity,
  key: OwnFigures,
  names: KeyNames,
): Course | undefined {
  const { label, isShared } = names.of(key);
  return label && !isShared ? courseOf(history, granularity, "key", label) : undefined;
}

/** What the history reports under the name of a key, today and this month. */
export function pastSpendsUnder(
  label: string,
  history: History | undefined,
  nowMs: number,
): readonly SpendUnderName[] {
  return GRANULARITIES.flatMap((granularity) => {
    const course = history && courseOf(history, granularity, "key", label);
    if (!course) return [];
    const { startMs, bucketMs, amounts, dataMs } = course;
    const window = granularity === "hour" ? "day" : "month";
    const first = Math.max(0, (windowAt(window, nowMs).startMs - startMs) / bucketMs);
    return { window, credits: amounts.slice(first).reduce((sum, amount) => sum + amount, 0), dataMs };
  });
}
