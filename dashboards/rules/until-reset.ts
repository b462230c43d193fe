import { promql } from "../promql.ts";
import { recorded } from "./series.ts";
import type { Timing } from "./timing.ts";
import { MINUTE } from "../thresholds.ts";

/** An alert on remaining credits that starts under a strict condition and must not flap. */
export interface Lasting {
  readonly alert: string;
  /** The condition under which it starts, unless a more urgent alert already fires. Its value is the alert's value. */
  readonly begins: string;
  /** The alert's value while it keeps firing. Present whenever the remaining credits are known. */
  readonly value: string;
  /** The conditions under which it keeps firing. */
  readonly keeps: readonly string[];
  /** A pattern of the more urgent alerts. Alertmanager inhibits this one while they fire, so it must not end before them without a notification. */
  readonly nearer: string;
}

/**
 * Keeps an alert firing until the limit resets. `keep_firing_for` would outlast the reset: a key that ran out minutes before
 * midnight would still be reported as about to run out after midnight. The alert reads its own `ALERTS` instead.
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
  # A reset (the seconds until the next one grow) or a raised limit ends the alert.
  unless on (job, key) ${resetSeconds.name} > ${resetSeconds.name} ${before}
  unless on (job, key) ${limit.name} > ${limit.name} ${before}
)`;
}

/** A single evaluation without a result ends an alert, so the change is visible for longer, in case some evaluations are missed. */
const CHANGE_SEEN = 10 * MINUTE;
