import { type SeriesMap, seriesLike } from "../support/series.ts";
import type { FaultCase } from "./fault-case.ts";
import { keySeries, keySeriesName, querySeries, querySeriesName } from "./right-answers.ts";

/** What a fault hits on one side: the key `faulty`, or the query `day`. */
export interface Subject {
  readonly collector: "key" | "analytics";
  /** As the log names it. */
  readonly target: string;
  readonly up: string;
  readonly lastSuccess: string;
  /** The values of the right answer. */
  readonly right: (revision: number) => SeriesMap;
  /** All series about it, values or not. */
  readonly series: RegExp;
  /** Those that stay when its values are withdrawn. */
  readonly stays: readonly string[];
  /** Where the status page tells of its state. */
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

/** Reasons of failed polls with how often they were counted, those that never happened left out. */
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

/** The values to be seen once the fault has hit: those before it, none, or those of the strange answer. */
export function valuesAfter(faultCase: FaultCase, { collector, right }: Subject): SeriesMap {
  const outcome = faultCase[collector];
  if ("shown" in outcome) return outcome.shown(right(2));
  // A question that is refused as a question has no last good answer.
  return outcome.reason === "bad_request" ? new Map() : right(1);
}

/** The values to be seen when those before the fault have outlived their time. */
export function valuesExpired(faultCase: FaultCase, { collector, right }: Subject): SeriesMap {
  const outcome = faultCase[collector];
  return "shown" in outcome ? outcome.shown(right(2)) : new Map();
}
