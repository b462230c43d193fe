import { promql } from "../promql.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";

/** An alert on what is left of a limit that begins under a strict condition and is not to come and go. */
export interface Lasting {
  readonly alert: string;
  /** Where it begins, unless a nearer end is told already; its value is the alert's. */
  readonly begins: string;
  /** Once it fires: the value while it is kept. Present whenever it is known what is left. */
  readonly value: string;
  /** What keeps it. */
  readonly keeps: readonly string[];
  /** Names of the alerts on a nearer end, a pattern: Alertmanager is silent about this one while they fire, so it must not end before them unheard. */
  readonly nearer: string;
}

/**
 * Not `keep_firing_for`, which outlives the reset of the limit: a key that ran dry minutes before midnight would be about to run
 * dry after it. The alert reads its own `ALERTS` instead.
 */
export function untilReset(timing: Timing, { alert, begins, value, keeps, nearer }: Lasting): string {
  const { remaining, resetSeconds, limit } = recorded;
  const before = promql`offset ${timing.duration(CHANGE_SEEN)}`;
  const kept = [...keeps, `ALERTS{alertname=~"${nearer}",alertstate="firing"}`].join("\n    or ");
  return `${begins}
unless on (job, key) ALERTS{alertname=~"${nearer}"}
or (
  ${value}
  and on (job, key) ALERTS{alertname="${alert}",alertstate="firing"}
  and on (job, key) (
    ${kept}
  )
  and on (job, key) ${remaining.name}
  # Nothing of the time before a reset, by which the seconds until it grow, or before a raised limit counts any more.
  unless on (job, key) ${resetSeconds.name} > ${resetSeconds.name} ${before}
  unless on (job, key) ${limit.name} > ${limit.name} ${before}
)`;
}

/** One evaluation without it ends an alert; a few may be missed. */
const CHANGE_SEEN = 10 * 60;
