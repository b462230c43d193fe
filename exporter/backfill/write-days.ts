import { join } from "node:path";
import { type Family, gauge, sample } from "../metrics/family.ts";
import { headerText } from "../metrics/render/exposition.ts";
import { DAY_MS, type Window } from "../time/window.ts";
import type { Amounts } from "../gateway/port.ts";
import { ACCOUNT, amountsOf, PAIRS } from "./answers.ts";
import type { DaySeries } from "./day-series.ts";
import { createKeyPast } from "./key-past.ts";
import { createPairPast, pairDays } from "./pair-past.ts";
import {
  type BackfillPlan,
  bucketsOf,
  daysOf,
  type PastFormat,
  type SampleTime,
  sampleTimes,
} from "./plan.ts";
import { isFile, type StateFile, writeWhole } from "./state-file.ts";

/** The file of one day. */
export interface WrittenDay {
  readonly name: string;
  /** Undefined: an earlier run wrote the file. */
  readonly bytes: number | undefined;
}

/**
 * Writes a file for each day, unless an earlier run has written it. The files depend on the plan and the answers only.
 * @throws the error of the file system.
 */
export async function* writeDays(
  plan: BackfillPlan,
  state: Pick<StateFile, "answers">,
  folder: string,
): AsyncGenerator<WrittenDay> {
  const buckets = bucketsOf(plan);
  const keys = createKeyPast(plan, buckets);
  const totals = new Map<number, Amounts>();
  for await (const answer of state.answers()) {
    if (answer.subject === ACCOUNT) for (const row of answer.rows) totals.set(row.startMs, amountsOf(row));
    else if (answer.subject !== PAIRS) keys.add(answer);
  }
  const pairs = createPairPast(plan, totals);
  const wanted = new Map(daysOf(plan).map((day) => [day.startMs, day]));
  for await (const hours of pairDays(state.answers(), buckets)) {
    const startMs = Math.floor((hours[0]?.window.startMs ?? 0) / DAY_MS) * DAY_MS;
    pairs.begin({ startMs, endMs: startMs + DAY_MS }, hours);
    const day = wanted.get(startMs);
    if (!day) continue;
    const name = fileName(day, plan.format);
    const path = join(folder, name);
    const times = sampleTimes(day, plan.stepMs);
    if (await isFile(path)) yield { name, bytes: undefined };
    else if (times.length > 0) {
      const series = chained(marks(day, times, plan), keys.series(day, times), pairs.series(day, times));
      yield { name, bytes: await writeWhole(path, dayText(series, times, plan)) };
    }
  }
}

function fileName({ startMs }: Window, format: PastFormat): string {
  return `${new Date(startMs).toISOString().slice(0, 10)}.${SUFFIXES[format]}`;
}

/** The ends of the names of files. */
export const SUFFIXES = { openmetrics: "om", "victoria-metrics": "prom", "remote-write": "prom" } as const;

/** Marks every time as interpolated. */
function* marks(day: Window, times: readonly SampleTime[], plan: BackfillPlan): Generator<DaySeries> {
  const seconds = day.startMs < plan.hoursStartMs ? 86_400 : 3600;
  for (const { family, labels } of sample(backfillFamilies.interpolation, {}, seconds)) {
    yield { family, labels, values: new Float64Array(times.length).fill(seconds) };
  }
}

function* chained(...parts: readonly Iterable<DaySeries>[]): Generator<DaySeries> {
  for (const part of parts) yield* part;
}

/** The text of a day, in pieces. Timestamps are seconds in OpenMetrics, and milliseconds otherwise. */
function* dayText(
  all: Iterable<DaySeries>,
  times: readonly SampleTime[],
  { format, target }: Pick<BackfillPlan, "format" | "target">,
): Generator<string> {
  const isOpenMetrics = format === "openmetrics";
  const ends = times.map(({ atMs }) => ` ${isOpenMetrics ? atMs / 1000 : atMs}\n`);
  // The quotes of a value are escaped, so this is the label.
  const own = format === "remote-write" ? target.slice(target.indexOf(',instance="') + 1) : target;
  let family: Family | undefined;
  let piece = "";
  for (const series of all) {
    if (series.family !== family) {
      family = series.family;
      if (isOpenMetrics) piece += headerText({ family, help: family.help }, "openmetrics");
    }
    const labels = [own, series.labels].filter((text) => text !== "").join(",");
    const beginning = `${family.name}{${labels}} `;
    for (let index = 0; index < ends.length; index++) {
      const value = series.values[index];
      if (value !== undefined && !Number.isNaN(value)) piece += `${beginning}${value}${ends[index]}`;
    }
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield isOpenMetrics ? `${piece}# EOF\n` : piece;
}

const PIECE = 1 << 20;

/** Marks the samples that a backfill wrote. The running exporter does not have it. */
export const backfillFamilies = {
  interpolation: gauge({
    name: "aigateway_backfill_interpolation_seconds",
    help: "Length of the hours or days over which a backfill spread the amounts of the gateway evenly, 3600 or 86400.",
    absent: "the exporter itself was running",
  }),
};
