import { type SeriesMap, seriesLike } from "../support/series.ts";
import type { FaultCase } from "./fault-case.ts";
import { keySeries, keySeriesName, querySeries, querySeriesName } from "./right-answers.ts";

/** The target of a fault on one side: the key `faulty`, or the query `day`. */
export interface Subject {
  readonly collector: "key" | "analytics";
  /** As the log names it. */
  readonly target: string;
  readonly up: string;
  readonly lastSuccess: string;
  /** The values of the right answer. */
  readonly right: (revision: number) => SeriesMap;
  /** All series about the target, values or not. */
  readonly series: RegExp;
  /** The series that remain when its values are withdrawn. */
  readonly stays: readonly string[];
  /** The place of its state on the status page. */
  readonly onPage: RegExp;
}

export const KEY: Subject = {
  collector: "key",
  target: "key/faulty",
  up: keySeriesName("up"),
  lastSuccess: keySeriesName("last_success_timestamp_seconds"),
  right: (revision) => keySeries("faulty", revision),
  series: /key="faulty"/,
  stays: ["up", "unauthorized", "last_success_timestamp_seconds", "owner_info"].map((name) =>
    keySeriesName(name),
  ),
  onPage: /Resets Today .*?\bfaulty (?<state>● Up|✕ Failing \w+)/,
};

export const QUERY: Subject = {
  collector: "analytics",
  target: "analytics/day",
  up: querySeriesName("up"),
  lastSuccess: querySeriesName("last_success_timestamp_seconds"),
  right: (revision) => querySeries("day", revision),
  series: /^aigateway_usage_day_|query="day"/,
  stays: ["up", "last_success_timestamp_seconds"].map((name) => querySeriesName(name)),
  onPage: /Models and apps Today .*?(?<state>● Up|✕ Failing \w+)/,
};

export const SUBJECTS = [KEY, QUERY] as const;

/** The counts of failed polls by reason, without reasons that never occurred. */
export function failuresOf({ collector }: Subject, series: SeriesMap): ReadonlyMap<string, number> {
  const pattern = new RegExp(
    `^aigateway_exporter_poll_failures_total\\{collector="${collector}",reason="(\\w+)"`,
  );
  return new Map(
    [...seriesLike(series, pattern)]
      .filter(([, value]) => value > 0)
      .map(([name, value]) => [pattern.exec(name)?.[1] ?? "", value]),
  );
}

/** The values during the fault: the previous ones, none, or those of the unusual answer. */
export function valuesAfter(faultCase: FaultCase, { collector, right }: Subject): SeriesMap {
  const outcome = faultCase[collector];
  if ("shown" in outcome) return outcome.shown(right(2));
  // A rejected request leaves no last good answer.
  return outcome.reason === "bad_request" ? new Map() : right(1);
}

/** The values after those from before the fault have expired. */
export function valuesExpired(faultCase: FaultCase, { collector, right }: Subject): SeriesMap {
  const outcome = faultCase[collector];
  return "shown" in outcome ? outcome.shown(right(2)) : new Map();
}
