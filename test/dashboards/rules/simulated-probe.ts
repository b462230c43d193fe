import type { Family } from "../../../exporter/metrics/family.ts";
import { probeFamilies as families } from "../../../exporter/probes/families.ts";
import { type InputSeries, seriesOf, type Value } from "./input-series.ts";
import { JOB } from "../../../dashboards/rules/settings.ts";

/** A probe that runs at whole minutes, as exposed by an exporter that is scraped at every step. */
export interface SimulatedProbe {
  readonly name: string;
  readonly job?: string;
  /** The minutes at which it runs. */
  readonly runs: readonly number[];
  /** The longest gap of its schedule in minutes. Default 60. */
  readonly intervalMinutes?: number;
  /** The result of the run at a minute; undefined if there is no answer. */
  readonly answer: (minute: number) => { readonly seconds: number; readonly wordErrors: number } | undefined;
  /** The minute at which the exporter restarts and loses its state. */
  readonly restartAt?: number;
  /** The minute from which on the probe is no longer configured. */
  readonly removedAt?: number;
}

export const TEAM = "search";

/** Each probe has its own model and its own key, both named after the probe. */
export function modelOf(name: string): string {
  return `aurora/${name}`;
}

export function simulateProbe(probe: SimulatedProbe, minutes: number, step = 1): readonly InputSeries[] {
  const { name, restartAt = Infinity, removedAt = Infinity } = probe;
  const { job = JOB } = probe;
  const lives = [
    { instance: "a:9853", from: 0, to: restartAt },
    { instance: "b:9853", from: restartAt, to: Infinity },
  ];
  return lives
    .filter(({ from }) => from < minutes)
    .flatMap(({ instance, from, to }) =>
      Object.entries(shown(probe, from)).flatMap(([family, value]) => {
        const values = Array.from({ length: minutes / step }, (_, index) => {
          const minute = index * step;
          return minute >= from && minute < Math.min(to, removedAt) ? value(minute) : null;
        });
        return [seriesOf(family, { job, instance, ...labelsOf(family, name) }, values)];
      }),
    );
}

/** The values that a process started at `from` exposes, minute by minute. */
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
    [families.interval.name]: () => intervalMinutes * 60,
    [families.lastRun.name]: (minute) => seconds(last(minute)),
    [families.lastSuccess.name]: (minute) => seconds(until(minute).findLast((run) => answer(run))),
    [families.failures.name]: (minute) => until(minute).filter((run) => !answer(run)).length,
    [families.success.name]: ofRun((run) => Number(answer(run) !== undefined)),
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
      team: TEAM,
      response_format: "json",
      upload: "json",
    }),
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
