import type { Goal, Readings } from "./benchmark.ts";
import type { Measurement } from "./run.ts";
import { spread, summary, type Summary } from "./statistics.ts";

/** The result of checking a goal. */
export interface Judgement {
  readonly goal: Goal;
  /** Undefined if nothing was measured. */
  readonly measured: Summary | undefined;
  readonly verdict: Verdict;
}

export type Verdict =
  | "stretch met"
  | "bar met"
  | "missed"
  | "out of reach here"
  | "too noisy to judge"
  | "skipped";

/**
 * Above this ratio between the slowest and the fastest run of the fixed computation, the machine was busy
 * with other work.
 */
const CALIBRATION_SPREAD = 1.5;
/** Above this ratio between the reference's slowest and fastest rounds, the run is too noisy. */
const REFERENCE_SPREAD = 2;

/** Judges each goal by the median of its value over the rounds. */
export function judge(measurement: Measurement): readonly Judgement[] {
  const noise = noiseOf(measurement);
  return measurement.benchmark.goals.map((goal) => {
    const values = valuesOf(goal, measurement);
    if (values.length === 0) return { goal, measured: undefined, verdict: "skipped" };
    const measured = summary(values);
    if (noise) return { goal, measured, verdict: "too noisy to judge" };
    const verdict = verdictOf(goal, measured.median);
    const { measure, least } = goal;
    if (verdict !== "missed" || least === undefined || measure.kind === "value")
      return { goal, measured, verdict };
    const possible = summary(valuesOf({ ...goal, measure: { ...measure, to: least } }, measurement)).median;
    return {
      goal,
      measured,
      verdict: verdictOf(goal, possible) === "missed" ? "out of reach here" : verdict,
    };
  });
}

/** The reason why a run cannot be judged; undefined if it can. */
export function noiseOf({ benchmark, rounds, calibrationMs }: Measurement): string | undefined {
  const unsteady = spread(summary(calibrationMs));
  if (unsteady > CALIBRATION_SPREAD) {
    return `a fixed computation took ${unsteady.toFixed(2)} times as long between some rounds as between others (at most ${CALIBRATION_SPREAD})`;
  }
  const { reference } = benchmark;
  const values = reference && readingsOf(rounds.get(reference.contender), reference.quantity);
  if (!values || values.length === 0) return undefined;
  const apart = spread(summary(values));
  if (apart <= REFERENCE_SPREAD) return undefined;
  return `the rounds of ${reference.contender} differ by a factor of ${apart.toFixed(2)} (at most ${REFERENCE_SPREAD})`;
}

function valuesOf({ measure, quantity }: Goal, { rounds }: Measurement): readonly number[] {
  const of = readingsOf(rounds.get(measure.of), quantity);
  if (measure.kind === "value") return of;
  const to = readingsOf(rounds.get(measure.to), quantity);
  return of.flatMap((value, round) => {
    const other = to[round];
    if (other === undefined) return [];
    return [measure.kind === "ratio" ? value / other : value - other];
  });
}

function readingsOf(rounds: readonly Readings[] = [], quantity: string): readonly number[] {
  return rounds.flatMap((readings) => readings[quantity] ?? []);
}

function verdictOf({ bound, bar, stretch }: Goal, value: number): Verdict {
  const meets = (limit: number) => (bound === "at most" ? value <= limit : value >= limit);
  if (meets(stretch)) return "stretch met";
  return meets(bar) ? "bar met" : "missed";
}
