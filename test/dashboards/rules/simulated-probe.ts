import { keyFamilies } from "../../../exporter/collectors/key-families.ts";
import type { Family } from "../../../exporter/metrics/family.ts";
import { probeFamilies as families } from "../../../exporter/probes/families.ts";
import { type InputSeries, seriesOf, type Value } from "./input-series.ts";

/** A probe that is run at whole minutes, as an exporter shows it that is scraped every minute. */
export interface SimulatedProbe {
  readonly name: string;
  readonly job?: string;
  /** Minutes at which it is run. */
  readonly runs: readonly number[];
  /** Its schedule's longest gap. Default 60. */
  readonly intervalMinutes?: number;
  /** What the run at a minute brings; undefined: no answer. */
  readonly answer: (minute: number) => { readonly seconds: number; readonly wordErrors: number } | undefined;
  /** The minute at which the exporter is started anew and forgets what it knew. */
  readonly restartAt?: number;
  /** The minute from which on it is configured no more. */
  readonly removedAt?: number;
}

export const TEAM = "search";

/** The probes ask one model each, and a key each pays, which is named after them. */
export function modelOf(name: string): string {
  return `aurora/${name}`;
}

export function simulateProbe(probe: SimulatedProbe, minutes: number): readonly InputSeries[] {
  const { name, restartAt = Infinity, removedAt = Infinity } = probe;
  const { job = "aigateway-exporter" } = probe;
  const lives = [
    { instance: "a:9853", from: 0, to: restartAt },
    { instance: "b:9853", from: restartAt, to: Infinity },
  ];
  return lives
    .filter(({ from }) => from < minutes)
    .flatMap(({ instance, from, to }) =>
      Object.entries(shown(probe, from)).flatMap(([family, value]) => {
        const values = Array.from({ length: minutes }, (_, minute) =>
          minute >= from && minute < Math.min(to, removedAt) ? value(minute) : null,
        );
        return [seriesOf(family, { job, instance, ...labelsOf(family, name) }, values)];
      }),
    );
}

/** What is shown minute by minute by a process that began at `from`. */
function shown(
  { runs, answer, intervalMinutes = 60 }: SimulatedProbe,
  from: number,
): Readonly<Record<string, (minute: number) => Value>> {
  const until = (minute: number) => runs.filter((run) => run >= from && run <= minute);
  const last = (minute: number) => until(minute).at(-1);
  const current = (minute: number): number | undefined => {
    const run = last(minute);
    return run === undefined || minute - run > 3 * intervalMinutes ? undefined : run;
  };
  const ofRun = (value: (run: number) => Value | undefined) => (minute: number) => {
    const run = current(minute);
    return run === undefined ? null : (value(run) ?? null);
  };
  return {
    [families.info.name]: () => 1,
    [keyFamilies.ownerInfo.name]: () => 1,
    [families.interval.name]: () => intervalMinutes * 60,
    [families.lastRun.name]: (minute) => seconds(last(minute)),
    [families.lastSuccess.name]: (minute) => seconds(until(minute).findLast((run) => answer(run))),
    [families.failures.name]: (minute) => until(minute).filter((run) => !answer(run)).length,
    [families.duration.name]: ofRun((run) => answer(run)?.seconds ?? 60),
    [families.wordErrors.name]: ofRun((run) => answer(run)?.wordErrors),
  };
}

function seconds(run: number | undefined): Value {
  return run === undefined ? null : run * 60;
}

const LABELS: Readonly<Record<string, (name: string) => Readonly<Record<string, string>>>> = {
  [families.info.name]: (probe) =>
    labels(families.info, {
      probe,
      model: modelOf(probe),
      key: probe,
      response_format: "json",
      upload: "json",
    }),
  [keyFamilies.ownerInfo.name]: (key) => ({ key, team: TEAM }),
  [families.failures.name]: (probe) => labels(families.failures, { probe, reason: "timeout" }),
};

function labelsOf(family: string, probe: string): Readonly<Record<string, string>> {
  return LABELS[family]?.(probe) ?? { probe };
}

function labels<Label extends string>(
  _family: Family<Label>,
  values: Readonly<Record<NoInfer<Label>, string>>,
): Readonly<Record<string, string>> {
  return values;
}
